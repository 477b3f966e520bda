"""What all endpoints share: the models, the queue, and how errors become answers."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from ramify.errors import InvalidInputError, RamifyError
from ramify.serve.jobs import Job, Jobs, OverloadedError
from ramify.serve.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from starlette.requests import Request

    from ramify.parsing import ParseResult
    from ramify.serve.models import Given, ServedModel, Steps
    from ramify.serve.options import ServeOptions

__all__ = ["Service", "answer_error", "json_body"]


class Service:
    """Models, and the queue before them.

    Parameters
    ----------
    models : the first one is taken where a request names none
    options : of the server
    """

    def __init__(self, models: Sequence[ServedModel], options: ServeOptions) -> None:
        self.models = {model.name: model for model in models}
        self.default = models[0].name if models else ""
        self.options = options
        self.metrics = Metrics()
        self.jobs = Jobs(options.queue, self.metrics)
        self.draining = False

    def close(self) -> None:
        """Finish what was accepted, and accept no more."""
        self.draining = True
        self.jobs.close()

    def model(self, name: str | None) -> ServedModel:
        """Return a model by name, or the default one."""
        found = self.models.get(name or self.default)
        if found is None:
            raise InvalidInputError(f"There is no model {name!r}; the models are {', '.join(self.models)}.")
        return found

    async def annotate(
        self,
        model: ServedModel,
        steps: Steps,
        read: Callable[[], Iterable[Given]],
        finish: Callable[[Sequence[ParseResult]], Any],
    ) -> Any:
        """Tag and parse sentences, together with those of other requests.

        Parameters
        ----------
        model, steps : who does what
        read : gives the sentences
        finish : makes the answer of the results
        """

        def counted(results: Sequence[ParseResult]) -> Any:
            self.metrics.words.add(sum(len(result.sentence) for result in results))
            return finish(results)

        job = Job(lambda: list(read()), lambda given: model.annotate(given, steps), counted, (model.name, steps))
        return await self.jobs.run(job, self.options.time_limit)

    async def alone(self, work: Callable[[], Any]) -> Any:
        """Do something that cannot be done together with other requests."""
        job = Job(lambda: [None], lambda items: [work() for _ in items], lambda results: results[0])
        return await self.jobs.run(job, self.options.time_limit)


async def json_body(request: Request) -> Any:
    """Return the JSON that a request holds."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        # Other types can be sent by forms of foreign pages without asking first.
        raise InvalidInputError("The body must be JSON, with the header Content-Type: application/json.")
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"The body is not JSON: {str(error)[:200]}.") from None


async def answer_error(request: Request, error: Exception) -> Response:
    """Turn an error into an answer: plain text for clients of UDPipe, JSON for all others."""
    headers = {}
    if isinstance(error, OverloadedError):
        status = error.status
        headers["Retry-After"] = str(error.retry_after)
    else:
        status = 400 if isinstance(error, RamifyError) else 500
    message = str(error)
    if status == 500:
        logging.getLogger("ramify.serve").error("error in %s", request.url.path, exc_info=error)
        message = "Something went wrong on the server; its log says what."
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": message}, status, headers)
    return PlainTextResponse(message + "\n", status, headers)
