"""From text to token ids and back."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from batching_lab.errors import ModelError


class Tokenizer(Protocol):
    """What a model's texts are made of."""

    eos_token_id: int | None  # the token that ends a text
    end_token_ids: tuple[int, ...]  # all that do; `eos_token_id` is the first

    def encode(self, text: str) -> tuple[int, ...]:
        """The token ids of a prompt. Raises `ModelError` for text that has none."""
        ...

    def decode(self, token_ids: Iterable[int]) -> str:
        """The text of generated tokens, without special ones."""
        ...


class ByteTokenizer:
    """Every byte of the UTF-8 text is a token; a text begins with BOS and ends with EOS, or as its model says."""

    BOS = 256
    EOS = 257

    def __init__(self, end_token_ids: tuple[int, ...] = (EOS,)) -> None:
        self.end_token_ids = end_token_ids
        self.eos_token_id: int | None = end_token_ids[0]

    def encode(self, text: str) -> tuple[int, ...]:
        """BOS and the bytes of a prompt. Raises `ModelError` for a character that is no text."""
        return (self.BOS, *utf8(text))

    def decode(self, token_ids: Iterable[int]) -> str:
        """The text of generated tokens; bytes that are no text become U+FFFD."""
        return bytes(token_id for token_id in token_ids if token_id < 256).decode("utf-8", errors="replace")


class SubwordTokenizer:
    """A tokenizer of the `tokenizers` package. It cuts no text and fills none up, whatever its file was saved with."""

    def __init__(self, tokenizer: Any, end_token_ids: tuple[int, ...]) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.tokenizer = tokenizer
        self.end_token_ids = end_token_ids
        self.eos_token_id = end_token_ids[0] if end_token_ids else None

    def encode(self, text: str) -> tuple[int, ...]:
        """The token ids of a prompt. Raises `ModelError` for text that has none."""
        utf8(text)
        try:
            token_ids = tuple(self.tokenizer.encode(text).ids)
        except Exception as error:  # the package raises nothing narrower
            raise ModelError(f"tokenizer.json can't encode the prompt {text!r}: {error}") from None
        if not token_ids:
            raise ModelError(f"the prompt {text!r} has no tokens")
        return token_ids

    def decode(self, token_ids: Iterable[int]) -> str:
        """The text of generated tokens, without special ones."""
        text: str = self.tokenizer.decode(list(token_ids))
        return text


def utf8(text: str) -> bytes:
    """The bytes of a text. Raises `ModelError` for a character that is none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ModelError(f"the prompt has a character that is no text, at {error.start}: {text!r}") from None


def load_subword_tokenizer(path: Path, end_token_ids: tuple[int, ...]) -> SubwordTokenizer:
    """The tokenizer of a Hugging Face folder, from its tokenizer.json."""
    tokenizers = import_tokenizers()
    if not path.is_file():
        raise ModelError(f"{path.parent} has no tokenizer.json")
    try:
        return SubwordTokenizer(tokenizers.Tokenizer.from_file(str(path)), end_token_ids)
    except Exception as error:  # the package raises nothing narrower
        raise ModelError(f"can't read {path}: {error}") from None


def byte_level_bpe(vocabulary: list[str], merges: list[str], special: list[str]) -> Any:
    """Byte-pair encoding over bytes, every digit by itself: the kind that SmolLM2 uses."""
    tokenizers = import_tokenizers()
    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.BPE({token: number for number, token in enumerate(vocabulary)}, pairs)
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    return tokenizer


def import_tokenizers() -> Any:
    """The package tokenizers. Raises `ModelError` if it is not installed."""
    try:
        import tokenizers
    except ImportError:
        raise ModelError("this model's tokenizer needs a package: pip install tokenizers") from None
    return tokenizers
