"""``ramify reproduce``: experiments of the documentation, run again.

Annotations are evaluated here, because typer makes options of them.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ramify.atomic import replacing_file
from ramify.cli.console import data_console, message
from ramify.cli.dotted import overrides
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from ramify.reproduce import Outcomes, Treebank, Trial

__all__ = ["reproduce"]

_TABLES = ("ablations", "erma", "frontier", "languages")
_PAPERS = (
    "smith-eisner-2008",
    "martins-2009",
    "martins-2010",
    "riedel-smith-2010",
    "martins-2011",
    "martins-2013",
    "gormley-2015",
)


def reproduce(
    ctx: typer.Context,
    experiment: Annotated[
        str, typer.Argument(metavar="NAME", help=f"Which one: {', '.join((*_TABLES, *_PAPERS))}.", show_default=False)
    ],
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
    quick: Annotated[
        bool,
        typer.Option(
            "--quick/--full",
            help="Papers and frontier: slices of treebanks, or whole ones, and for papers more of them.",
        ),
    ] = True,
    threads: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Papers and frontier: parsers trained at once; 0 is as many as there are cores."
        ),
    ] = 0,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Frontier: where the picture goes, as SVG.")] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Papers: where the page goes; it is printed if not given.")
    ] = None,
) -> None:
    """Run an experiment again and print its table.

    languages: train every treebank at first, second and third order and score
    its test file with gold tokens and tags. Options of a configuration can be
    given as in ramify train.

    ablations: train without each group of feature templates, on 2,000 sentences
    of five languages, and score dev.

    erma: train second order through belief propagation, several ways on dev of
    two treebanks, the chosen one on test of all.

    frontier: every preset on English and Basque, LAS against tokens a second;
    1,000 sentences of training, or with --full whole treebanks.

    A paper's name: train and decode what it compares, and print its tables
    beside ours, with its claims and whether they hold here. With --full this
    takes hours to days; the same command goes on where it was broken off.

    [bold]Examples[/bold]

    ramify reproduce languages --data treebanks/

    ramify reproduce languages --data treebanks/ --only tr,eu --training.epochs 3

    ramify reproduce smith-eisner-2008 --data treebanks/ --quick
    """
    if experiment not in (*_TABLES, *_PAPERS):
        raise InvalidInputError(f"reproduce expects one of {', '.join((*_TABLES, *_PAPERS))}; got {experiment!r}.")
    from ramify.reproduce import PAPERS, ablations, frontier, treebanks

    if plot is not None and experiment != "frontier":
        raise InvalidInputError(f"--plot is for the experiment frontier; got {experiment!r}.")
    if page is not None and experiment not in PAPERS:
        raise InvalidInputError(f"--page is for the papers; got {experiment!r}, whose table is printed.")

    wanted = [name.strip() for name in only.split(",") if name.strip()]
    if not wanted and experiment in ("ablations", "frontier"):
        wanted = list({"ablations": ablations, "frontier": frontier}[experiment].LANGUAGES)
    if not wanted and experiment in PAPERS:
        wanted = list(PAPERS[experiment].quick if quick else PAPERS[experiment].full)
    every = experiment in PAPERS
    banks = [bank for bank in treebanks(data, every=every) if not wanted or bank.language in wanted]
    if not banks:
        raise InvalidInputError(f"--only expects languages of {data / 'splits.tsv'}; got {only!r}.")
    results = results or Path(f"{experiment}.jsonl")
    if experiment in PAPERS:
        _reproduce_paper(experiment, banks, results, overrides(ctx), quick, threads, page)
    elif experiment == "frontier":
        _reproduce_frontier(banks, results, overrides(ctx), quick, threads, plot)
    else:
        _reproduce_table(experiment, banks, results, overrides(ctx))


def _reproduce_table(experiment: str, banks: "list[Treebank]", results: Path, options: dict[str, str]) -> None:
    from ramify.reproduce import ablations, erma, languages, run_all

    chosen = {"ablations": ablations, "erma": erma, "languages": languages}[experiment]
    todo = chosen.plan(banks)
    message(f"{len(todo)} runs; finished ones go to {results}")
    runs = run_all(
        todo,
        results,
        options=options,
        report=lambda run: message(
            f"{run.name} {run.preset} {run.variant}: UAS {100 * run.uas:.2f}, LAS {100 * run.las:.2f}, "
            f"{run.train_seconds:,.0f} CPU s of training, {run.tokens_per_second:,.0f} tokens/s"
        ),
    )
    data_console().print(chosen.table(runs), markup=False, soft_wrap=True)


def _reproduce_frontier(
    banks: "list[Treebank]", results: Path, options: dict[str, str], quick: bool, threads: int, plot: Path | None
) -> None:
    from ramify.reproduce import frontier, run_trials

    if plot is not None:
        frontier.check_plot(plot)
    todo = frontier.plan(banks)
    message(f"{len(todo)} parsers to train; finished ones go to {results}")
    scale = frontier.QUICK if quick else frontier.FULL
    outcomes = run_trials(todo, results, scale, options=options, threads=threads, checkpoints=not quick, report=_report)
    points = frontier.points(outcomes)
    data_console().print(frontier.table(points), markup=False, soft_wrap=True)
    if plot is not None:
        frontier.draw(points, plot)


def _reproduce_paper(
    experiment: str,
    banks: "list[Treebank]",
    results: Path,
    options: dict[str, str],
    quick: bool,
    threads: int,
    page: Path | None,
) -> None:
    from ramify.reproduce import FULL, PAPERS, QUICK, render, run_trials

    paper, scale = PAPERS[experiment], QUICK if quick else FULL
    banks = list({bank.language: bank for bank in reversed(banks)}.values())[::-1]  # one treebank a language
    todo = paper.plan(banks, scale)
    message(f"{len(todo)} parsers to train; finished ones go to {results}")
    outcomes = run_trials(todo, results, scale, options=options, threads=threads, checkpoints=not quick, report=_report)
    usual = paper.quick if quick else paper.full
    some = "" if {bank.language for bank in banks} == set(usual) else f" --only {','.join(b.language for b in banks)}"
    changed = "".join(f" --{key} {value}" for key, value in options.items())
    command = f"ramify reproduce {experiment} --data FOLDER {'--quick' if quick else '--full'}{some}{changed}"
    text = render(paper, outcomes, scale, command)
    if page is None:
        data_console().print(text, markup=False, soft_wrap=True)
    else:
        with replacing_file(page) as file:
            file.write(text.encode())


def _report(trial: "Trial", outcomes: "Outcomes") -> None:
    found = [outcomes.get(trial.bank.language, trial.name, decoding) for decoding in trial.decodings]
    scores = ", ".join(f"{100 * outcome.uas:.2f}" for outcome in found if outcome)
    seconds = found[0].train_seconds if found[0] else 0.0
    message(f"{trial.bank.language}, {trial.name}: UAS {scores}; {seconds:.0f} CPU s of training")
