"""Chats drawn by the seed: each kind is something that chat templates treat in their own way."""

import random
from typing import Any

Chat = dict[str, Any]  # messages, and tools or documents where they belong to it
Message = dict[str, Any]

SYSTEMS = [
    "Answer in one sentence.",
    "You are a patient teacher.\nUse short words.",
    "  Speak like a lighthouse keeper.  ",
    "Du antwortest auf Deutsch. Grüße sind erlaubt.",
    "detailed thinking off",
    "Never guess. /no_think",
    "",
]
QUESTIONS = [
    "What is the capital of Peru?",
    "Add 17 and 25.",
    "Why is the sky blue?\n\nTwo reasons are enough.",
    "Write a line about rain",
    "Is 97 a prime number?",
    "¿Dónde está el río?",
    "请用一句话介绍长城。",
    "Name three rivers:\r\n1.\r\n2.",
    "/think How many legs do four spiders have?",
]
ANSWERS = [
    "Lima.",
    "42",
    "Rayleigh scattering, mostly.\nShort waves scatter more.",
    "Soft drops on the old tin roof.",
    "Yes: no number from 2 to 9 divides it.",
    "Está detrás del puente.",
    "长城是中国古代的防御工程。",
]
UNICODE = [
    "😀👍🏽 👨‍👩‍👧 ok",
    "Crème brûlée, naïve ΩMEGA ½ ﬁn ß",
    "日本語とعربي mixed",
    "<b>5 > 3 & 2 < 4</b> \"quoted\" 'single' `tick`",
    "{{ not_a_variable }} {% raw %} {# no comment #}",
    "back\\slash \\n stays, tab\there",
    "no\u00a0break\u2028line\u2029paragraph\u200bzero\ufeffmark",
]
SPACES = ["  two before", "two after  ", "\n\nlines around\n\n", "\ttab ", "   ", " \n ", "\u3000wide space\u00a0"]
THOUGHTS = [
    "<think>\nThe user wants a city.\n</think>\n\nLima.",
    "<think>\n\n</think>\n\n42",
    "Half a thought</think>and the rest",
    "<think>one</think>two<think>three</think>\n\nfour",
    "<response>Yes.</response> and more",
    "<thought>hm</thought>\n\nIt is.",
]
IMAGE = {"type": "image"}

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name, such as Zürich"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "Of the answer"},
                "days": {"type": "integer", "description": "How many", "default": 1},
            },
            "required": ["city"],
        },
    },
}
SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": 'Finds "pages"\nof <sites> & more.',
        "parameters": {
            "type": "object",
            "properties": {
                "words": {"type": "array", "items": {"type": "string"}, "description": "All of them"},
                "limits": {
                    "type": "object",
                    "properties": {"low": {"type": "number"}, "high": {"type": ["number", "null"]}},
                    "required": ["low"],
                    "description": "  Range  ",
                },
                "exact": {"type": "boolean", "description": "No stems", "default": False},
                "by": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "Weights"},
                "kind": {
                    "oneOf": [{"type": "string", "description": "name"}, {"type": "number"}],
                    "description": "Any",
                },
            },
        },
        "return": {"type": "array", "items": {"type": "string"}, "description": "Addresses"},
    },
}
CLOCK = {
    "type": "function",
    "function": {
        "name": "clock",
        "description": "The time — 時刻.",
        "parameters": {"type": "object", "properties": {}, "required": []},
    },
}
ROLL = {
    "type": "function",
    "function": {
        "name": "roll",
        "parameters": {"type": "object", "properties": {"sides": {"type": "integer", "minimum": 2}, "bias": {}}},
    },
}
CALLS: list[tuple[str, Any]] = [
    ("get_weather", {"city": "Zürich", "days": 2}),
    ("get_weather", {"city": "Łódź 🌧", "unit": None}),
    ("search", {"words": ["a<b", "c & d"], "limits": {"low": 1e-7, "high": 1e22}, "exact": True, "by": {}}),
    ("search", {"words": [], "limits": {"low": -0.5}, "exact": False}),
    ("clock", {}),
    ("roll", {"sides": 20, "bias": [[1, 2.0], 'it\'s "odd"\n']}),
    ("get_weather", '{"city": "Oslo"}'),
]
RESULTS = ['{"degrees": 21.5, "sky": "clear"}', "12:30", "", "a\nb", "No page — <404>", "äöü 😀"]
DOCUMENTS = [
    {"title": "Tides", "text": "The moon pulls the sea.\nTwice a day it rises."},
    {"title": "Émile's <notes>", "text": "  Bees & wasps differ. "},
    {"text": "No title at all.", "doc_id": 7},
    {"title": "", "text": "", "score": 0.25, "tags": ["a", "b"], "seen": None},
]


def draw_chat(kind: str, rng: random.Random) -> Chat:
    return KINDS[kind](rng)


def user(text: Any) -> Message:
    return {"role": "user", "content": text}


def assistant(text: Any, **others: Any) -> Message:
    return {"role": "assistant", "content": text, **others}


def system(text: Any) -> Message:
    return {"role": "system", "content": text}


def dialogue(rng: random.Random, turns: int) -> list[Message]:
    speakers = [(user, QUESTIONS), (assistant, ANSWERS)]
    return [speakers[i % 2][0](rng.choice(speakers[i % 2][1])) for i in range(turns)]


def plain(rng: random.Random) -> Chat:
    return {"messages": dialogue(rng, rng.choice([1, 1, 2, 3, 5]))}


def answered(rng: random.Random) -> Chat:
    """Ends with an answer, which may be continued."""
    start = [system(rng.choice(SYSTEMS))] if rng.random() < 0.5 else []
    last = rng.choice([*ANSWERS, "It is", "  Let me see ", "Well,\n", *THOUGHTS[:3]])
    return {"messages": [*start, *dialogue(rng, rng.choice([1, 1, 3])), assistant(last)]}


def with_system(rng: random.Random) -> Chat:
    return {"messages": [system(rng.choice(SYSTEMS)), *dialogue(rng, rng.choice([1, 1, 2, 3]))]}


def unusual_text(rng: random.Random) -> Chat:
    texts = rng.sample(UNICODE, 2) + rng.sample(SPACES, 2)
    rng.shuffle(texts)
    start = [system(texts.pop())] if rng.random() < 0.4 else []
    return {"messages": [*start, user(texts[0]), assistant(texts[1]), user(texts[2])]}


def parts(rng: random.Random) -> Chat:
    """Content as a list, with and without pictures."""
    text = {"type": "text", "text": rng.choice(QUESTIONS + SPACES[:3])}
    first = rng.choice(
        [[IMAGE, text], [text], [text, IMAGE, IMAGE], [text, {"type": "text", "text": "And why?"}], [IMAGE]]
    )
    messages = [user(first)]
    if rng.random() < 0.5:
        answer = [{"type": "text", "text": rng.choice(ANSWERS)}]
        messages += [assistant(answer), user([{"type": "text", "text": rng.choice(QUESTIONS)}])]
    if rng.random() < 0.4:
        messages.insert(0, system([{"type": "text", "text": rng.choice(SYSTEMS)}]))
    return {"messages": messages}


def pictures(rng: random.Random) -> Chat:
    others = [
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "video", "video": "b.mp4"},
        {"type": "audio", "audio": "c.wav"},
        {"type": "image", "url": "d.jpg"},
    ]
    content = [*rng.sample(others, 2), {"type": "text", "text": rng.choice(QUESTIONS)}]
    rng.shuffle(content)
    return {"messages": [user(content), assistant(rng.choice(ANSWERS)), user(rng.choice(QUESTIONS))]}


def tools(rng: random.Random) -> Chat:
    """Tools that nobody has called yet."""
    start = [system(rng.choice(SYSTEMS))] if rng.random() < 0.6 else []
    return {"messages": [*start, *dialogue(rng, rng.choice([1, 1, 3]))], "tools": draw_tools(rng)}


def draw_tools(rng: random.Random) -> list[dict[str, Any]]:
    return rng.choice([[WEATHER], [WEATHER, CLOCK], [SEARCH], [CLOCK], [SEARCH, WEATHER], [WEATHER, ROLL]])


def call(rng: random.Random, identified: bool) -> dict[str, Any]:
    name, arguments = rng.choice(CALLS)
    made = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"id": f"{rng.choice('abc')}{rng.randrange(10**7, 10**8)}", **made} if identified else made


def called(rng: random.Random) -> Chat:
    """A call, its result, and sometimes what is said of it."""
    start = [system(rng.choice(SYSTEMS))] if rng.random() < 0.5 else []
    identified = rng.random() < 0.7
    calls = [call(rng, identified) for _ in range(rng.choice([1, 1, 2]))]
    asked = assistant(rng.choice(["", None, "Let me look."]), tool_calls=calls)
    if rng.random() < 0.2:
        del asked["content"]
    results = []
    for each in calls:
        result = {"role": "tool", "name": each["function"]["name"], "content": rng.choice(RESULTS)}
        results.append(result | ({"tool_call_id": each["id"]} if identified else {}))
    end = rng.choice([[], [], [assistant(rng.choice(ANSWERS))], dialogue(rng, 2)[::-1]])
    chat = {"messages": [*start, user(rng.choice(QUESTIONS)), asked, *results, *end]}
    return chat | ({"tools": draw_tools(rng)} if rng.random() < 0.8 else {})


def documents(rng: random.Random) -> Chat:
    chat = with_system(rng) if rng.random() < 0.5 else plain(rng)
    return chat | {"documents": rng.sample(DOCUMENTS, rng.choice([1, 2, 3]))}


def thoughts(rng: random.Random) -> Chat:
    """Thoughts in the text, or beside it."""
    first, second = rng.sample(THOUGHTS, 2)
    reasoned = assistant(rng.choice(ANSWERS), reasoning_content=rng.choice(["Easy.", "\nLet me see:\n- one\n\n", ""]))
    answers = rng.choice(
        [[assistant(first), assistant(second)], [assistant(first), reasoned], [reasoned, assistant(second)]]
    )
    messages = [user(rng.choice(QUESTIONS)), answers[0], user(rng.choice(QUESTIONS)), answers[1]]
    return {"messages": messages[: rng.choice([3, 4, 4])]}


def odd(rng: random.Random) -> Chat:
    """What a template may refuse: wrong order, missing fields, other roles, values that are no text."""
    question, answer = rng.choice(QUESTIONS), rng.choice(ANSWERS)
    return {
        "messages": rng.choice(
            [
                [],
                [assistant(answer), user(question)],
                [user(question), user("And?")],
                [user(question), system("Now be brief.")],
                [system("One."), system("Two."), user(question)],
                [system("Only this.")],
                [user("")],
                [user(None)],
                [user(question), assistant(None), user("?")],
                [user(7)],
                [user([])],
                [user({"text": question})],
                [{"role": "user"}],
                [{"content": question}],
                [{"role": "developer", "content": "Rules first."}, user(question)],
                [{"role": "User", "content": question}],
                [user(question), {"role": "critic", "content": "Hm."}],
                [user(question), {"role": "tool", "content": "12"}],
                [user(question), {"role": "ipython", "content": {"output": [1, 2.5, None, True, "é"]}}],
                [user(question), assistant("STOP"), user("Go on.")],
                [user(question), assistant(""), user("Louder.")],
                [user(question) | {"name": "Zoë"}, assistant(answer, weight=0)],
            ]
        )
    }


KINDS = {
    "plain": plain,
    "answered": answered,
    "with_system": with_system,
    "unusual_text": unusual_text,
    "parts": parts,
    "pictures": pictures,
    "tools": tools,
    "called": called,
    "documents": documents,
    "thoughts": thoughts,
    "odd": odd,
}
