"""Chat templates of reference/chat_templates: the text that transformers renders for chats drawn by the seed."""

import importlib.metadata
import json
import random
import re
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jinja2.meta
from chats import SEARCH, WEATHER, Chat, draw_chat
from jinja2.exceptions import TemplateError
from kit import Kit, dump
from transformers.utils import chat_template_utils

TASK = "chat_template"
FOLDER = Path(__file__).resolve().parents[1] / "chat_templates"
PACKAGES = ["transformers", "jinja2"]
NOW = "2024-07-26T13:45:00"
OTHER_TIMES = ["2024-02-29T00:00:00", "2025-01-05T09:03:07", "1999-12-31T23:59:59"]

DEFAULT_TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
TOKENS = {  # by the beginning of the name
    "aya": {"bos_token": "<BOS_TOKEN>", "eos_token": "<|END_OF_TURN_TOKEN|>"},
    "chatml": {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
    "command": {"bos_token": "<BOS_TOKEN>", "eos_token": "<|END_OF_TURN_TOKEN|>"},
    "deepseek": {"bos_token": "<|begin▁of▁sentence|>", "eos_token": "<|end▁of▁sentence|>"},
    "ernie": {"cls_token": "<|begin_of_sentence|>"},
    "falcon": {"eos_token": "<|endoftext|>"},
    "gemma": {"bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>", "unk_token": "<unk>"},
    "hermes": {"bos_token": "<|begin_of_text|>", "eos_token": "<|im_end|>"},
    "jamba": {},
    "llama3": {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
    "nemotron": {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
    "qwen": {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
    "seed": {"bos_token": "<seed:bos>", "eos_token": "<seed:eos>"},
    "xlam": {},
}
VARIABLES: dict[str, list[Any]] = {  # what a template may read besides the chat, and what it gets there
    "add_vision_id": [True, False],
    "builtin_tools": [["code_interpreter", "search"], ["get_weather"]],
    "citation_mode": ["fast", "accurate"],
    "code_mode": [True],
    "controls": [{"length": "short"}, {"citations": True, "length": None}],
    "custom_tools": [[WEATHER]],
    "date_string": ["26 Jul 2024", ""],
    "enable_thinking": [True, False],
    "language": ["German", "", None],
    "model_identity": ["You are a test."],
    "python_tools": [["def clock() -> str: ...", "def roll(sides: int = 6): ..."]],
    "reasoning_effort": ["low", "high"],
    "thinking": [True, False],
    "thinking_budget": [0, 300, 1024, 5000],
    "tools_in_user_message": [True, False],
    "USE_DEFAULT_PROMPT": [True],
    "user_token": ["<Q>"],
    "xml_tools": [[SEARCH]],
}
PROBED = {  # the variables of probes, which have no chat
    "text": 'Grüße, Welt! It\'s 5 < 6 & "so".',
    "lines": "  first\n\tsecond\r\nthird  \n",
    "empty": "",
    "nothing": None,
    "yes": True,
    "no": False,
    "zero": 0,
    "whole": 42,
    "negative": -7,
    "large": 9007199254740993,
    "tiny": 1e-7,
    "huge": 1e22,
    "half": 0.5,
    "round": 100.0,
    "third": 0.1 + 0.2,
    "numbers": [3, 1, 2.5, -4, 10],
    "words": ["pear", "Apple", "fig", "apple", "Ångström"],
    "mixed": [None, True, 1.0, "q'uote", 'd"ouble', "b'o\"th", "new\nline\ttab\\", "é😀\u00a0\u200b\x07", [], {}],
    "record": {"name": "Zoë", "tags": ["a", "b"], "size": {"w": 1.5, "h": None}, "ok": True, "items": 3, "z<": "&'"},
    "rows": [
        {"kind": "b", "n": 2, "on": True, "in": {"x": 1}},
        {"kind": "a", "n": 3, "on": False, "in": {"x": 2}},
        {"kind": "b", "n": 1, "in": {}},
    ],
}


class FixedTime(datetime):
    """Stands for the clock: `now` is what the case says."""

    fixed = datetime.fromisoformat(NOW)

    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return cls.fixed


def make(kit: Kit) -> None:
    shutil.rmtree(kit.golden / TASK, ignore_errors=True)
    (kit.golden / TASK).mkdir(parents=True)
    for path in sorted(FOLDER.glob("*.jinja")):
        source = path.read_bytes().decode()
        tokens = next((value for key, value in TOKENS.items() if path.stem.startswith(key)), DEFAULT_TOKENS)
        requests = probes(source) if path.stem.startswith("probe") else draw(source, kit.random(f"{TASK}/{path.stem}"))
        content = {
            "template": source,
            "special_tokens": tokens,
            "requests": requests,
            "results": [render(source, tokens, request) for request in json.loads(json.dumps(requests))],
            "made_with": {package: importlib.metadata.version(package) for package in PACKAGES},
        }
        (kit.golden / TASK / f"{path.stem}.json").write_text(dump(content))


def probes(source: str) -> list[dict[str, Any]]:
    """One request; one for each value of `which` when the template asks for that."""
    cases = [{"which": name} for name in re.findall(r"which == '(\w+)'", source)]
    used = {name: value for name, value in PROBED.items() if re.search(rf"\b{name}\b", source)}
    requests = []
    for case in cases or [{}]:
        kwargs = {"add_generation_prompt": False} | (case or used)
        requests.append({"messages": [{"role": "user", "content": "Hi"}], "kwargs": kwargs, "now": NOW})
    return requests


def draw(source: str, rng: random.Random) -> list[dict[str, Any]]:
    """Ten requests: of each kind of chat that the template knows of, and some that it may not."""
    kinds = ["plain", "with_system", "answered", "unusual_text", "odd"]
    kinds += ["tools", "called", "called"] if "tool" in source else []
    kinds += ["documents"] if "document" in source else []
    kinds += ["parts", "pictures"] if "part" in source else []
    kinds += ["thoughts"] if re.search("think|thought", source) else []
    kinds += ["odd", "odd"] if "raise_exception" in source else ["odd"]
    others = ["plain", "with_system", "answered", "unusual_text", "parts", "called", "documents", "thoughts"]
    kinds += rng.sample(others, max(0, 10 - len(kinds)))
    readable = readable_variables(source)
    requests = []
    for kind in kinds[:10]:
        chat = draw_chat(kind, rng)
        kwargs: dict[str, Any] = {"add_generation_prompt": rng.random() < 0.6}
        if kind == "answered":
            kwargs = {"add_generation_prompt": rng.random() < 0.1, "continue_final_message": True}
        for name in readable:
            if rng.random() < 0.4:
                kwargs[name] = rng.choice(VARIABLES[name])
        requests.append(chat | {"kwargs": kwargs} | time_of(source, rng))
    return requests


def readable_variables(source: str) -> list[str]:
    try:
        environment = chat_template_utils._compile_jinja_template(source).environment
    except TemplateError:
        return []
    return sorted(jinja2.meta.find_undeclared_variables(environment.parse(source)) & set(VARIABLES))


def time_of(source: str, rng: random.Random) -> Chat:
    if "strftime_now" not in source:
        return {}
    return {"now": NOW if rng.random() < 0.7 else rng.choice(OTHER_TIMES)}


def render(source: str, tokens: dict[str, str], request: dict[str, Any]) -> dict[str, str]:
    """As apply_chat_template does. An error has the words of raise_exception, or none when Python fails otherwise."""
    kwargs = request["kwargs"]
    if kwargs["add_generation_prompt"] and kwargs.get("continue_final_message"):
        return {"error": ""}
    FixedTime.fixed = datetime.fromisoformat(request.get("now", NOW))
    given = {name: request.get(name) for name in ("tools", "documents")}
    try:
        with patch.object(chat_template_utils, "datetime", FixedTime):
            texts, _ = chat_template_utils.render_jinja_template(
                conversations=[request["messages"]], chat_template=source, **given, **(tokens | kwargs)
            )
    except Exception as error:
        return {"error": str(error) if type(error) is TemplateError else ""}
    return {"text": texts[0]}
