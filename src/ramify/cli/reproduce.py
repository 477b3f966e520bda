"""``ramify reproduce``: experiments of the documentation, run again.

Annotations are evaluated here, because typer makes options of them.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ramify.atomic import replacing_file
from ramify.cli.console import data_console, message
from ramify.cli.dotted import overrides
from ramify.cli.options import argument, flag, value
from ramify.cli.usage import UsageError, checking_options, completing, split_list
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
    "martins-2011-sparsity",
    "martins-2013",
    "gormley-2015",
    "martins-smith-2009",
    "almeida-martins-2013",
)


def reproduce(
    ctx: typer.Context,
    experiment: Annotated[
        str,
        argument(
            "NAME",
            f"Experiment to run: {', '.join((*_TABLES, *_PAPERS))}.",
            autocompletion=completing(lambda: (*_TABLES, *_PAPERS)),
            show_default=False,
        ),
    ],
    data: Annotated[Path, value("DIR", "Folder of treebanks that contains a file splits.tsv.")],
    results: Annotated[
        Path | None,
        value(
            "FILE",
            "File of finished runs, one line of JSON for each; they are not run again. The default is NAME.jsonl.",
        ),
    ] = None,
    only: Annotated[str, value("LANG,...", "Languages to run, by their names in splits.tsv. The default is all.")] = "",
    quick: Annotated[
        bool,
        flag(
            "Use parts of a few treebanks, or whole treebanks, and more of them for papers (papers and frontier only).",
            "--quick/--full",
        ),
    ] = True,
    threads: Annotated[
        int,
        value("N", "Number of parsers to train at the same time; 0 uses every core (papers and frontier only).", min=0),
    ] = 0,
    plot: Annotated[
        Path | None,
        value("FILE", "File to which the picture is written as SVG (frontier and martins-2011-sparsity only)."),
    ] = None,
    page: Annotated[
        Path | None, value("FILE", "File to which the page is written; by default it is printed (papers only).")
    ] = None,
) -> None:
    """Run an experiment again and print its table.

    languages trains parsers of first, second and third order on every treebank
    and scores its test file with gold tokens and tags. Options of a
    configuration can be given as in ramify train.

    ablations trains parsers without each group of feature templates, on 2,000
    sentences of five languages, and scores the dev files.

    erma trains second-order parsers through belief propagation. It compares
    several ways on the dev files of two treebanks, and scores the chosen one on
    the test files of all.

    frontier trains every preset on English and Basque and compares LAS with
    speed. It trains on 1,000 sentences, or with --full on whole treebanks.

    The name of a paper trains and decodes what the paper compares, and prints
    its tables beside ours, with its claims and whether they hold here. With
    --full this takes hours to days; the same command continues a run that was
    interrupted.

    [bold]Examples[/bold]

    ramify reproduce languages --data treebanks/

    ramify reproduce languages --data treebanks/ --only tr,eu --training.epochs 3

    ramify reproduce smith-eisner-2008 --data treebanks/ --quick
    """
    if experiment not in (*_TABLES, *_PAPERS):
        raise UsageError(f"reproduce expects one of {', '.join((*_TABLES, *_PAPERS))}; got {experiment!r}.")
    from ramify.reproduce import PAPERS, ablations, frontier, treebanks

    drawn = ("frontier", *(name for name, paper in PAPERS.items() if paper.draw))
    if plot is not None and experiment not in drawn:
        raise UsageError(f"--plot is for the experiments {' and '.join(drawn)}; got {experiment!r}.")
    if plot is not None:
        with checking_options():
            frontier.check_plot(plot)
    if page is not None and experiment not in PAPERS:
        raise UsageError(f"--page is for the papers; got {experiment!r}, whose table is printed.")

    wanted = split_list(only)
    if not wanted and experiment in ("ablations", "frontier"):
        wanted = list({"ablations": ablations, "frontier": frontier}[experiment].LANGUAGES)
    if not wanted and experiment in PAPERS:
        wanted = list(PAPERS[experiment].quick if quick else PAPERS[experiment].full)
    every = experiment in PAPERS
    more = PAPERS[experiment].banks(data) if experiment in PAPERS else []
    banks = [bank for bank in (*treebanks(data, every=every), *more) if not wanted or bank.language in wanted]
    if not banks:
        raise InvalidInputError(f"--only expects languages of {data / 'splits.tsv'}; got {only!r}.")
    results = results or Path(f"{experiment}.jsonl")
    if experiment in PAPERS:
        _reproduce_paper(experiment, banks, results, overrides(ctx), quick, threads, page, plot)
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
    plot: Path | None,
) -> None:
    from ramify.reproduce import FULL, PAPERS, QUICK, render, run_trials

    paper, scale = PAPERS[experiment], QUICK if quick else FULL
    banks = list({bank.language: bank for bank in reversed(banks)}.values())[::-1]  # one treebank a language
    todo = paper.study.plan(banks, scale)
    message(f"{len(todo)} parsers to train; finished ones go to {results}")
    outcomes = run_trials(todo, results, scale, options=options, threads=threads, checkpoints=not quick, report=_report)
    usual = paper.quick if quick else paper.full
    some = "" if {bank.language for bank in banks} == set(usual) else f" --only {','.join(b.language for b in banks)}"
    changed = "".join(f" --{key} {value}" for key, value in options.items())
    command = f"ramify reproduce {experiment} --data FOLDER {'--quick' if quick else '--full'}{some}{changed}"
    picture = ""
    if plot is not None and paper.draw is not None:
        paper.draw(outcomes, plot)
        picture = Path(os.path.relpath(plot, page.parent if page else ".")).as_posix()
    text = render(paper, outcomes, scale, command, picture)
    if page is None:
        data_console().print(text, markup=False, soft_wrap=True)
    else:
        with replacing_file(page) as file:
            file.write(text.encode())


def _report(trial: "Trial", outcomes: "Outcomes") -> None:
    if trial.study is not None:
        message(f"{trial.bank.language}, {trial.name}: done")
        return
    found = [outcomes.get(trial.bank.language, trial.name, decoding) for decoding in trial.decodings]
    scores = ", ".join(f"{100 * outcome.uas:.2f}" for outcome in found if outcome)
    seconds = found[0].train_seconds if found[0] else 0.0
    message(f"{trial.bank.language}, {trial.name}: UAS {scores}; {seconds:.0f} CPU s of training")
