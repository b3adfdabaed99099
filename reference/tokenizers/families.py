"""Small tokenizers of every kind that a tokenizer.json can hold, as {file name: JSON}."""

import bpe_families
import unigram_families
import wordpiece_families

FAMILIES = {
    name.replace("_", "-"): make
    for module in (bpe_families, unigram_families, wordpiece_families)
    for name, make in sorted(vars(module).items())
    if getattr(make, "__module__", "") == module.__name__
}
