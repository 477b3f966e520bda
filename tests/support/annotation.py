"""An annotation page that is served while a test runs."""

from __future__ import annotations

import contextlib
from functools import partial

from ramify.annotation import Session
from ramify.serve.annotate import make_annotation_app
from ramify.serve.options import ServeOptions
from support.serving import running


@contextlib.contextmanager
def annotating(path, parser, *, patience=10.0, training=None, **options):
    """Serve a session; give its port, the application and the session. Clients have some seconds to send a body."""
    session = Session(path, parser, **options)
    served = ServeOptions(port=0, max_body=100_000, body_time_limit=patience)
    with running(served, partial(make_annotation_app, session, training=training)) as (port, app):
        yield port, app, session
