"""``ramify reproduce``: experiments of the documentation, run again.

Annotations are evaluated here, because typer makes options of them.
"""

from pathlib import Path
from typing import Annotated

import typer

from ramify.cli.console import data_console, message
from ramify.cli.dotted import overrides
from ramify.errors import InvalidInputError

__all__ = ["reproduce"]

_EXPERIMENTS = ("ablations", "languages")


def reproduce(
    ctx: typer.Context,
    experiment: Annotated[str, typer.Argument(metavar="NAME", help="Which one: ablations or languages.")],
    data: Annotated[Path, typer.Option(metavar="DIR", help="Folder of treebanks with a splits.tsv.")],
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Finished runs, a line of JSON each; what is there is not run again. NAME.jsonl if not given.",
        ),
    ] = None,
    only: Annotated[
        str, typer.Option(metavar="LANG,...", help="Languages to run, as splits.tsv names them; all if not given.")
    ] = "",
) -> None:
    """Run an experiment again and print its table.

    languages: train every treebank at first, second and third order and score
    its test file with gold tokens and tags. Options of a configuration can be
    given as in ramify train.

    ablations: train without each group of feature templates, on 2,000 sentences
    of five languages, and score dev.

    [bold]Examples[/bold]

    ramify reproduce languages --data treebanks/

    ramify reproduce languages --data treebanks/ --only tr,eu --training.epochs 3
    """
    if experiment not in _EXPERIMENTS:
        raise InvalidInputError(f"reproduce expects one of {', '.join(_EXPERIMENTS)}; got {experiment!r}.")
    from ramify.reproduce import ablations, languages, run_all, treebanks

    chosen = {"ablations": ablations, "languages": languages}[experiment]
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    if not wanted and experiment == "ablations":
        wanted = list(ablations.LANGUAGES)
    banks = [bank for bank in treebanks(data) if not wanted or bank.language in wanted]
    if not banks:
        raise InvalidInputError(f"--only expects languages of {data / 'splits.tsv'}; got {only!r}.")
    todo = chosen.plan(banks)
    results = results or Path(f"{experiment}.jsonl")
    message(f"{len(todo)} runs; finished ones go to {results}")
    runs = run_all(
        todo,
        results,
        options=overrides(ctx),
        report=lambda run: message(
            f"{run.name} {run.preset} {run.variant}: UAS {100 * run.uas:.2f}, LAS {100 * run.las:.2f}, "
            f"{run.train_seconds:,.0f} CPU s of training, {run.tokens_per_second:,.0f} tokens/s"
        ),
    )
    data_console().print(chosen.table(runs), markup=False, soft_wrap=True)
