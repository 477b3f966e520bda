"""What tests of models that learn have in common, whatever the models are for."""

from __future__ import annotations

import signal

import pytest

from ramify.errors import InterruptedTrainingError, ModelError
from ramify.learn.progress import Step


def saved_again(model, path):
    """Return the model that is loaded from where this one is saved; it has the same options and labels."""
    model.save(path)
    loaded = type(model).load(path)
    assert (loaded.config, loaded.labels) == (model.config, model.labels)
    return loaded


def stop_after(steps, *, stage=None, number=signal.SIGTERM):
    """Return a report that sends this process a signal after so many steps, of any stage or of one."""
    seen = 0

    def report(event):
        nonlocal seen
        if isinstance(event, Step) and stage in (None, event.stage):
            seen += 1
            if seen == steps:
                signal.raise_signal(number)

    return report


def check_resuming(train, folder, reports):
    """Check that a run that is broken off, once by each report, ends with the model of a run that is not."""
    train(output=folder / "whole.zip")
    target = folder / "model.zip"
    for number, report in enumerate(reports):
        with pytest.raises(
            InterruptedTrainingError, match=r"the progress is saved in .*run the same command with --resume"
        ):
            train(output=target, resume=number > 0, progress=report)
        assert not target.exists()
    events = []
    train(output=target, resume=True, progress=events.append)
    assert str(events[1]).startswith("resumed after ")
    assert target.read_bytes() == (folder / "whole.zip").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["model.zip", "whole.zip"]


def check_no_models(load, folder):
    """Check that an empty folder, a text and a path without a file are refused, each by its own message."""
    with pytest.raises(ModelError, match="there is no such model"):
        load(folder / "none")
    with pytest.raises(ModelError, match="this file is missing"):
        load(folder)
    (folder / "text").write_text("hello")
    with pytest.raises(ModelError, match="expected a model directory or a zip of one"):
        load(folder / "text")


def num_right(parser, gold):
    """Return how many words get their head."""
    return sum(int((r.heads == s.heads).sum()) for r, s in zip(parser.parse(gold), gold, strict=True))
