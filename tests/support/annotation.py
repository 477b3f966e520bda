"""An annotation page that is served while a test runs."""

from __future__ import annotations

import contextlib
from functools import partial

from ramify.annotation import Session
from ramify.serve.annotate import make_annotation_app
from ramify.serve.options import ServeOptions
from support.serving import running


@contextlib.contextmanager
def annotating(path, parser, **options):
    """Serve a session; give its port, the application and the session."""
    session = Session(path, parser, **options)
    with running(ServeOptions(port=0, max_body=100_000), partial(make_annotation_app, session)) as (port, app):
        yield port, app, session
