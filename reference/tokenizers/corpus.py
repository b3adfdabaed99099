"""The strings that all tokenizers are tested with, made from a seed: many scripts, emoji, combining marks, controls,
code, numbers, odd spaces, special tokens as text, long words."""

import random
import unicodedata

SENTENCES = [
    "The quick brown fox jumps over the lazy dog.",
    "Don't you think it's time we've gone, they're late and I'm tired?",
    "Dr. Smith's U.S. office (est. 1998) isn't open at 5:30 p.m.!",
    'She said: "Hello, world!" -- and left... twice.',
    "Tokenization of unbelievable, antidisestablishmentarian words is uncharacteristically hard.",
    "HTTPServer parsed XMLHttpRequest in iPhone15ProMax mode",
    "It costs $1,234.56 or €99,95 (≈ £80) -- 50% off!",
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich, daß es kracht.",
    "Voix ambiguë d'un cœur qui, au zéphyr, préfère les jattes de kiwis. L'été, c'est l'œuvre d'Ève.",
    "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío. ¿Añoraba? ¡Sí!",
    "Luís argüia à Júlia que «brações, fé, chá, óxido, pôr, zângão» eram palavras do português.",
    "Quel vituperabile xenofobo zelante assaggia il whisky ed esclama: alleluja!",
    "Pchnąć w tę łódź jeża lub ośm skrzyń fig.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Árvíztűrő tükörfúrógép",
    "Törkylempijävongahdus, flygande bäckasiner söka hwila på mjuka tuvor; kjærlighet på blåbærsyltetøy.",
    "Pijamalı hasta yağız şoföre çabucak güvendi. İstanbul'da IĞDIR ılık.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "Жебракують філософи при ґанку церкви в Гадячі, ще й шатро їхнє п'яне знаємо.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΟΔΥΣΣΕΥΣ",
    "דג סקרן שט בים מאוכזב ולפתע מצא חברה. שָׁלוֹם",
    "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق. ٱلْعَرَبِيَّةُ",
    "هر شب مرداب پیر می‌خوانَد؛ کتاب‌ها را می‌خواهم",
    "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले विष्णुवतार भगवान श्रीराम।",
    "বাংলা ভাষায় একটি বাক্য। তামিল: தமிழ் மொழி; తెలుగు భాష; ಕನ್ನಡ; മലയാളം",
    "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน",
    "ພາສາລາວ ភាសាខ្មែរ မြန်မာဘာသာ བོད་སྐད།",
    "いろはにほへと ちりぬるを わかよたれそ つねならむ。",
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
    "カタカナ と ｶﾀｶﾅ、ガギグ と ガギグ",
    "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。",
    "我能吞下玻璃而不伤身体。这是一个测试，价格为￥１２３４！",
    "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다. 한글",
    "ქართული ენა. Հայերեն լեզու. አማርኛ ቋንቋ።",
    "Tiếng Việt có nhiều dấu thanh: ắ ằ ẳ ẵ ặ; đường phố Huế",
    "ʻŌlelo Hawaiʻi; Yorùbá ẹ̀kọ́; naïve façade résumé coöperate",
    'def f(x: int) -> str:\n    return f"{x!r:>10}"  # comment\n\tif x != 0: pass',
    "for (int i = 0; i < n; ++i) { a[i] += b->c.d(e) ? 1 : 0; } // <T>&&",
    "SELECT * FROM users WHERE id=42 AND name LIKE '%o''brien%';",
    "https://example.org/path/to?query=a%20b&x=1#frag mailto:me@host.co.uk",
    '{"key": [1, 2.5e-10, null, true], "nested": {"a\\"b": "\\u00e9"}}',
    "\\frac{a}{b} = \\sum_{i=0}^{\\infty} x_i^2 ≤ ∫ e^{−x²} dx ∀x∈ℝ",
    "<html><body class='x'>&amp; &lt;b&gt;</body></html>",
    "| a | b |\n|---|---|\n| **1** | `2` |\n\n- item\n  - sub item\n",
    "1 22 333 4444 55555 123456789012345678901234567890 3.14159 1e-5 0xDEADBEEF ½ ² ٣٤ १२ ＃１",
    "A.B.C. e.g. i.e. 12:34:56 2024-01-31T23:59:59Z +49-(0)30/123 #tag @user_name",
    "👨‍👩‍👧‍👦 family, 🏳️‍🌈 flag, 👍🏽 skin, 🇩🇪🇫🇷 flags, ❤️‍🔥, 1️⃣ keycap, 🧑🏿‍🚀🤷🏻‍♀️",
    "ﬁ ﬂ ﬀ Ⅷ ㎏ ㍿ ℡ № ™ ① ⑳ ㈱ Ａｆｕｌｌ　ｗｉｄｔｈ ﷺ",
    "𝓗𝓮𝓵𝓵𝓸 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟏𝟐𝟑 𐍈 𝄞 𠀀𠮷 🀄",
    "“Smart” ‘quotes’ — em–dash… • bullet · dot ‹›«» „tief“ `` tex ''",
    "soft\u00adhyphen zero\u200bwidth non\u200cjoiner join\u200der word\u2060joiner bom\ufeff",
    "nbsp\u00a0thin\u2009ideographic\u3000line\u2028para\u2029nel\u0085vt\u000bff\u000cend",
    "tab\tnewline\ncr\rcrlf\r\nnul\u0000bell\u0007esc\u001b[0m del\u007f",
    "rtl\u202eoverride\u202c lrm\u200e rlm\u200f isolate\u2066x\u2069",
    "Z\u0335\u0321\u0356a\u0334\u0315\u0349l\u0338\u0310g\u0337\u035fo\u0336\u0301 text",
    "e\u0301 o\u0308 n\u0303 a\u030a \u1112\u1161\u11ab か\u3099 ç c\u0327 \u0344 \u1e9b\u0323",
    "\ufffd replacement \ue000 private \U0010fffd \ufdd0 nonchar \U0001f600",
    "straße STRASSE ẞ İ ı ŉ ǰ ΐ ﬀ ß",
]

SPECIALS = [
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[UNK]",
    "[PAD]",
    "<s>",
    "</s>",
    "<unk>",
    "<pad>",
    "<mask>",
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|begin_of_text|>",
    "<|startoftext|>",
    "<bos>",
    "<eos>",
    "<extra_id_0>",
    "eng_Latn",
    "fra_Latn",
    "<0x0A>",
    "▁",
    "##ing",
    "Ġthe",
    "</w>",
    "<odd>",
    "<Left>",
    "right!",
    "word",
    "ÉTÉ",
    "<think>",
]

SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n ", "\u00a0", "\u3000", "\u2009", "\u200b", ""]

BLOCKS = [
    (0x20, 0x7E),
    (0xA0, 0xFF),
    (0x100, 0x17F),
    (0x250, 0x2AF),
    (0x300, 0x36F),
    (0x370, 0x3FF),
    (0x400, 0x4FF),
    (0x590, 0x5FF),
    (0x600, 0x6FF),
    (0x900, 0x97F),
    (0xE00, 0xE7F),
    (0x1100, 0x11FF),
    (0x1E00, 0x1EFF),
    (0x2000, 0x206F),
    (0x2100, 0x214F),
    (0x2460, 0x24FF),
    (0x2E80, 0x2EFF),
    (0x3040, 0x30FF),
    (0x3200, 0x33FF),
    (0x4E00, 0x4FFF),
    (0xAC00, 0xACFF),
    (0xF900, 0xFAFF),
    (0xFB00, 0xFB4F),
    (0xFE00, 0xFE6F),
    (0xFF00, 0xFFEF),
    (0x1D400, 0x1D7FF),
    (0x1F300, 0x1F64F),
    (0x1F900, 0x1F9FF),
    (0x20000, 0x200FF),
    (0x0, 0x1F),
    (0x7F, 0x9F),
]


def random_block(rng: random.Random) -> str:
    low, high = rng.choice(BLOCKS)
    return "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 24)))


def mixed(rng: random.Random, words: list[str]) -> str:
    parts = []
    for _ in range(rng.randint(1, 12)):
        kind = rng.random()
        if kind < 0.6:
            parts.append(rng.choice(words))
        elif kind < 0.75:
            parts.append(rng.choice(SPECIALS))
        elif kind < 0.85:
            parts.append(str(rng.randint(0, 10 ** rng.randint(1, 12))))
        else:
            parts.append(random_block(rng))
        parts.append(rng.choice(SPACES) if rng.random() < 0.4 else " ")
    return "".join(parts)


def cut(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text))
    return text[start : start + rng.randint(1, 40)]


def corpus(count: int = 2400, seed: int = 20240131) -> list[str]:
    rng = random.Random(seed)
    words = sorted({word for sentence in SENTENCES for word in sentence.split(" ") if word})
    strings = ["", " ", "  ", "\n", "\t ", "a", "A", "é", "e\u0301", "0", "👨‍👩‍👧‍👦", "\u200b", "\u0000", "\u3000"]
    strings += SENTENCES + SPECIALS
    for form in ("NFD", "NFC", "NFKC", "NFKD"):
        strings += [unicodedata.normalize(form, sentence) for sentence in SENTENCES]
    strings += [sentence.upper() for sentence in SENTENCES] + [sentence.lower() for sentence in SENTENCES]
    strings += [f" {sentence}" for sentence in SENTENCES[::3]] + [f"{sentence}  " for sentence in SENTENCES[1::3]]
    strings += [f"{sentence} {rng.choice(SPECIALS)}{sentence}" for sentence in SENTENCES[2::3]]
    strings += ["a" * 90, "ab" * 120, "é" * 101, "字" * 130, "👍" * 60, "." * 200, " " * 150, "\n" * 40, "1" * 100]
    strings += ["supercalifragilistic" * 12, "the " * 120, "-" * 37 + ">" * 41, "[MASK]" * 20, "<s> " * 15]
    makers = [
        lambda: mixed(rng, words),
        lambda: mixed(rng, words),
        lambda: random_block(rng),
        lambda: random_block(rng) + rng.choice(SPACES) + random_block(rng),
        lambda: cut(rng, rng.choice(SENTENCES)),
        lambda: cut(rng, unicodedata.normalize("NFD", rng.choice(SENTENCES))),
        lambda: rng.choice(SPACES).join(rng.sample(words, rng.randint(2, 9))),
    ]
    while len(strings) < count:
        strings.append(rng.choice(makers)())
    return strings[:count]
