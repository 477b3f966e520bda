"""A pretrained encoder of Hugging Face in PyTorch, from local files; nothing is downloaded, and no code is run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError, MissingExtraError

try:
    import torch
    import transformers
except ImportError as error:  # pragma: no cover - the tests of this module need it
    raise MissingExtraError("transformers", "encoders", "A pretrained encoder") from error

from torch import Tensor, nn

from ramify.neural.encoder_files import MAX_WIDTH, EncoderState, read_folder
from ramify.neural.network import Pieces
from ramify.neural.pieces import Split, Splitter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from ramify.neural.options import Encoder as Options

__all__ = ["FrozenEncoding", "PiecesEncoding", "Pretrained", "open_folder", "open_state", "state_of"]

_LIMIT = 512  # pieces of a window
_WORDS = 2000  # of the sentences that a frozen encoder reads together


class Encoder(nn.Module):
    """Vectors of words: the mean of the last layers at the first piece of each."""

    def __init__(self, body: nn.Module, layers: int) -> None:
        super().__init__()
        self.body, self.layers = body, layers

    def forward(self, pieces: Pieces) -> Tensor:
        """Return the vectors, of shape (b, t, width)."""
        said = self.body(input_ids=pieces.ids, attention_mask=pieces.mask, output_hidden_states=True)
        mean = torch.stack(said.hidden_states[-self.layers :]).mean(0)
        return mean.flatten(0, 1)[pieces.places]


class Pretrained:
    """An encoder with its tokenizer.

    Parameters
    ----------
    body : model of transformers
    config, tokenizer : contents of its files
    layers : number of the last layers that are averaged
    """

    def __init__(self, body: Any, config: str, tokenizer: str, layers: int) -> None:
        self.config, self.tokenizer = config, tokenizer
        self.width = body.config.hidden_size
        if not 0 < self.width <= MAX_WIDTH:
            raise InvalidInputError(f"encoder.path expects vectors of at most {MAX_WIDTH:,} numbers; got {self.width}.")
        if layers > body.config.num_hidden_layers:
            raise InvalidInputError(
                f"encoder.layers expects at most {body.config.num_hidden_layers} for this encoder; got {layers}."
            )
        self.module = Encoder(body, layers).eval()
        # Models such as RoBERTa count positions from 2 on.
        positions = getattr(body.config, "max_position_embeddings", _LIMIT)
        self.splitter = Splitter(tokenizer, min(_LIMIT, positions if positions > 0 else _LIMIT) - 2)

    def vectors(
        self, sentences: Sequence[Sequence[str]], device: str = "cpu", threads: int = 0
    ) -> list[npt.NDArray[np.float32]]:
        """Return the vectors of the root and the words of each sentence: arrays of shape (n + 1, width).

        Parameters
        ----------
        sentences : forms of the words
        device : where the encoder is
        threads : of PyTorch; 0: as many as it has
        """
        if threads and threads != torch.get_num_threads():
            torch.set_num_threads(threads)
        found: list[Any] = [None] * len(sentences)
        splits = [self.splitter.split(forms) for forms in sentences]
        order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
        while order:
            chosen, words = [order.pop()], 0  # the longest first, so that a lack of memory shows at once
            while order and (words := words + len(sentences[chosen[0]])) < _WORDS:
                chosen.append(order.pop())
            pieces = pieces_of([splits[i] for i in chosen], device)
            with torch.inference_mode():
                vectors = self.module(pieces).float().cpu().numpy()
            for i, each in zip(chosen, vectors, strict=True):
                found[i] = each[: len(sentences[i]) + 1]
        return found


def pieces_of(splits: Sequence[Split], device: str) -> Pieces:
    """Return sentences as tensors."""
    windows = [window for split in splits for window in split.windows]
    longest = max(map(len, windows))
    ids, mask = np.zeros((2, len(windows), longest), np.int64)
    for row, window in enumerate(windows):
        ids[row, : len(window)], mask[row, : len(window)] = window, 1
    places = np.zeros((len(splits), max(len(split.places) for split in splits)), np.int64)
    begin = 0
    for i, split in enumerate(splits):
        places[i, : len(split.places)] = [(begin + window) * longest + place for window, place in split.places]
        begin += len(split.windows)
    return Pieces(*(torch.from_numpy(array).to(device) for array in (ids, mask, places)))


class FrozenEncoding:
    """Sentences as the vectors of a frozen encoder, which are computed once and kept with 16 bits."""

    def __init__(self, pretrained: Pretrained, device: str = "cpu") -> None:
        self._pretrained, self._device = pretrained, device

    def rows(self, sentences: Sequence[Sequence[str]]) -> list[npt.NDArray[np.float16]]:
        """Return the vectors of sentences."""
        self._pretrained.module.to(self._device)
        return [vectors.astype(np.float16) for vectors in self._pretrained.vectors(sentences, self._device)]

    def batch(self, rows: Sequence[npt.NDArray[np.float16]], device: str) -> Tensor:
        """Return vectors of shape (b, t, width), 0 in the padding."""
        tensors = [torch.from_numpy(row) for row in rows]
        return nn.utils.rnn.pad_sequence(tensors, batch_first=True).to(device).float()


class PiecesEncoding:
    """Sentences as the pieces that an encoder in training reads."""

    def __init__(self, splitter: Splitter) -> None:
        self._splitter = splitter

    def rows(self, sentences: Sequence[Sequence[str]]) -> list[Split]:
        """Return the pieces of sentences."""
        return [self._splitter.split(forms) for forms in sentences]

    def batch(self, rows: Sequence[Split], device: str) -> Pieces:
        """Return them as tensors."""
        return pieces_of(rows, device)


def open_folder(options: Options, expected: str = "") -> tuple[Pretrained, str]:
    """Return the encoder in a folder and the checksum of its files, which must be the expected one, if any."""
    config, tokenizer, checksum = read_folder(options.path)
    if expected not in ("", checksum):
        raise InvalidInputError(
            f"encoder.path expects the encoder that the model was trained with in {options.path!r}; "
            "the files there have another checksum. Restore them, or train again."
        )
    made = _config(config)
    transformers.utils.logging.disable_progress_bar()
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # of weights that the files lack, such as a pooler's, which nobody reads
            body, report = transformers.AutoModel.from_pretrained(
                options.path,
                config=made,
                dtype=torch.float32,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                attn_implementation="eager",
                output_loading_info=True,
            )
    except Exception as error:  # of whatever type the library likes
        raise _no_encoder(error) from None
    missing = sorted(name for name in report["missing_keys"] if "pooler" not in name)
    if missing:
        raise InvalidInputError(f"encoder.path expects all weights of the encoder; {missing[0]!r} is missing.")
    return Pretrained(body, config, tokenizer, options.layers), checksum


def open_state(state: EncoderState, options: Options) -> Pretrained:
    """Return the encoder of a model: fine-tuned weights from the model, a frozen one from its folder."""
    if not state.arrays:
        return open_folder(options, state.checksum)[0]
    made = _config(state.config)

    def body() -> Any:
        return transformers.AutoModel.from_config(made, trust_remote_code=False, attn_implementation="eager")

    try:
        with torch.device("meta"):  # takes no memory, however large a stranger's model says that it is
            shapes = {name: tuple(value.shape) for name, value in body().state_dict().items()}
        if shapes != {name: array.shape for name, array in state.arrays.items()}:
            raise ValueError("config.json and the weights do not fit")  # noqa: TRY301
        filled = body()
        filled.load_state_dict({name: torch.from_numpy(a.astype(np.float32)) for name, a in state.arrays.items()})
    except Exception as error:  # of whatever type the library likes
        raise _no_encoder(error) from None
    return Pretrained(filled, state.config, state.tokenizer, options.layers)


def state_of(pretrained: Pretrained, checksum: str, weights: Mapping[str, npt.NDArray[Any]]) -> EncoderState:
    """Return what a model keeps of its encoder; `weights` are the fine-tuned ones, by their names in the network."""
    prefix = "encoder.body."
    arrays = {n.removeprefix(prefix): a.astype(np.float16) for n, a in weights.items() if n.startswith(prefix)}
    texts = (pretrained.config, pretrained.tokenizer) if arrays else ("", "")
    return EncoderState(checksum, pretrained.width, *texts, arrays)


def _config(content: str) -> Any:
    """Return the configuration, without what leads to code, or to kernels, from elsewhere."""
    odd = ("auto_map", "quantization_config", "attn_implementation")
    try:
        values = {k: v for k, v in json.loads(content).items() if not k.startswith("_") and k not in odd}
        made = transformers.AutoConfig.for_model(**values)
    except Exception as error:  # of whatever type the library likes
        raise _no_encoder(error) from None
    if made.is_encoder_decoder:
        raise InvalidInputError("encoder.path expects an encoder; this model has a decoder, too.")
    return made


def _no_encoder(error: Exception) -> InvalidInputError:
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return InvalidInputError(
        f"encoder.path expects an encoder that the installed transformers {transformers.__version__} has itself; "
        f"code of models is never run ({first[:200]})."
    )
