"""``ramify agree``: how far two annotators agree.

Annotations are evaluated here, because typer makes options of them.
"""

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ramify.cli.slow_progress import SlowProgress

if TYPE_CHECKING:
    from ramify.evaluation import Agreement, Interval

__all__ = ["agree"]


def agree(
    a: Annotated[str, typer.Argument(metavar="A", help="Treebank of the first annotator; - is standard input.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Treebank of the second annotator, with the same words.")],
    subtypes: Annotated[
        bool,
        typer.Option(
            "--subtypes/--no-subtypes", help="Treat nsubj:pass and nsubj as different labels, or as the same label."
        ),
    ] = True,
    samples: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of bootstrap samples for the intervals.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Random seed for the samples.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON instead of tables.")] = False,
) -> None:
    """Compare two annotations of the same words.

    The command shows the shares of words with the same head (UAS), with the same label, and with both (LAS), and
    Cohen's kappa of the labels, which measures the agreement beyond chance. The intervals are 95 % bootstrap
    intervals over sentences.

    [bold]Examples[/bold]

    ramify agree anna.conllu ben.conllu

    ramify agree anna.conllu ben.conllu --no-subtypes --json
    """
    from ramify.evaluation import agreement

    with SlowProgress("Drawing samples", samples) as progress:
        result = agreement(a, b, subtypes=subtypes, samples=samples, seed=seed, progress=progress.advance)
    if as_json:
        json.dump(result.to_dict(), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        _print_tables(result)


def _print_tables(result: "Agreement") -> None:
    from ramify.cli.console import data_console
    from ramify.cli.evaluation_tables import percent, plain_table

    def bounds(interval: "Interval | None", factor: int) -> str:
        if interval is None:
            return ""
        return (
            f"{factor * interval.low:.{2 if factor > 1 else 3}f} to {factor * interval.high:.{2 if factor > 1 else 3}f}"
        )

    console = data_console()
    interval = f"{100 * result.confidence:g} % interval"
    title = f"{result.num_sentences} sentences, {result.num_words} words"
    table = plain_table(title, ["", "agreement", interval])
    for name, figure in (("UAS", result.uas), ("LAS", result.las), ("label accuracy", result.label_accuracy)):
        table.add_row(name, percent(figure.value), bounds(figure, 100))
    table.add_row("kappa of labels", f"{result.kappa.value:.3f}", bounds(result.kappa, 1))
    console.print(table)
    console.print()
    table = plain_table("By label", ["label", "in A", "in B", "both", "F1", interval, "kappa", interval, "same head"])
    for row in result.by_label:
        table.add_row(
            row.label,
            *(str(count) for count in (row.count_a, row.count_b, row.both)),
            percent(row.f1.value),
            bounds(row.f1, 100),
            f"{row.kappa.value:.3f}",
            bounds(row.kappa, 1),
            percent(None if row.heads is None else row.heads.value),
        )
    console.print(table)
