"""``ramify serve``: models as a REST service.

Annotations are evaluated here, because typer makes options of them.
"""

import dataclasses
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ramify.cli.options import Threads, argument
from ramify.cli.usage import UsageError, checking_options

__all__ = ["serve"]


def serve(
    models: Annotated[
        list[str] | None,
        argument(
            "MODEL", "Pipelines and parsers: paths, language codes of built-in models, or NAME=PATH.", show_default="en"
        ),
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Port to listen at; 0 chooses a free one.")
    ] = 8000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Also answer requests to this host name, for example the name of a proxy.",
            show_default=False,
        ),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL", help="Allow web pages of this origin to use the service (CORS).", show_default=False
        ),
    ] = None,
    queue: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of waiting requests.")] = 64,
    max_body: Annotated[int, typer.Option(min=1, metavar="BYTES", help="Maximum size of a request.")] = 4 << 20,
    max_words: Annotated[
        int, typer.Option(min=1, metavar="N", help="Maximum length of a sentence that is parsed.")
    ] = 500,
    time_limit: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit of a request.")] = 30.0,
    threads: Threads = 1,
) -> None:
    """Serve models over HTTP: the REST service of UDPipe, and JSON endpoints for constraints, probabilities and more.

    By default only this machine can reach the server. To listen at another address, set a token in the environment
    variable RAMIFY_TOKEN. Clients send it as Authorization: Bearer TOKEN; browsers ask for it as a password.

    [bold]Examples[/bold]

    ramify serve

    ramify serve en mine=models/mine --port 8080

    RAMIFY_TOKEN=$(openssl rand -hex 16) ramify serve --host 0.0.0.0 --allow-host parser.example.org
    """
    from ramify.errors import MissingExtraError

    try:
        from ramify.serve.app import make_app
        from ramify.serve.server import listen, make_server
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "starlette", "serve", "ramify serve") from None
    from ramify.cli.console import message
    from ramify.serve.models import ServedModel
    from ramify.serve.options import ServeOptions

    with checking_options():
        options = ServeOptions(
            host=host,
            port=port,
            token=os.environ.get("RAMIFY_TOKEN") or None,
            allowed_hosts=tuple(allow_host or ()),
            origins=tuple(origin or ()),
            threads=threads,
            queue=queue,
            max_body=max_body,
            max_words=max_words,
            time_limit=time_limit,
        )
    named = _named(models or ["en"])
    sock, port = listen(options)
    options = dataclasses.replace(options, port=port)
    served = [ServedModel.load(name, path, threads=threads, max_words=max_words) for name, path in named.items()]
    shown = f"[{host}]" if ":" in host else host
    server = make_server(
        make_app(served, options),
        options,
        started=lambda: message(f"ramify serves http://{shown}:{port} (ctrl-C stops it)"),
    )
    server.run(sockets=[sock])
    sys.exit(0)


def _named(models: list[str]) -> dict[str, str]:
    """Return the paths of models by name: ``NAME=PATH``, or named as the last part of the path."""
    named: dict[str, str] = {}
    for given in models:
        name, equals, path = given.partition("=")
        if not equals:
            name, path = Path(given).name.removesuffix(".zip"), given
        if not name or name in named:
            raise UsageError(f"Models need different names; {name!r} is given twice. Write NAME=PATH.")
        named[name] = path
    return named
