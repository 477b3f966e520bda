"""The papers, each as an experiment under its name."""

from __future__ import annotations

from ramify.reproduce.papers import (
    almeida_martins_2013,
    gormley_2015,
    martins_2009,
    martins_2010,
    martins_2011,
    martins_2011_sparsity,
    martins_2013,
    martins_smith_2009,
    riedel_smith_2010,
    smith_eisner_2008,
)

__all__ = ["PAPERS"]

PAPERS = {
    module.PAPER.name: module.PAPER
    for module in (
        smith_eisner_2008,
        martins_2009,
        martins_2010,
        riedel_smith_2010,
        martins_2011,
        martins_2011_sparsity,
        martins_2013,
        gormley_2015,
        martins_smith_2009,
        almeida_martins_2013,
    )
}
