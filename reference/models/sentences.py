"""English sentences of our own making: what the built-in model is measured on.

`sentences()` gives texts of many kinds and lengths, `paraphrases()` pairs that say one thing twice. Both are fixed.
"""

import random

PLACES = [
    "Lisbon",
    "a small village in the Alps",
    "the central station",
    "Nairobi",
    "the harbour",
    "Buenos Aires",
    "the new library",
    "Kyoto",
]
PEOPLE = [
    "my grandmother",
    "the night nurse",
    "a retired sailor",
    "our football coach",
    "the youngest student",
    "a street musician",
    "the mayor",
    "two electricians",
]
DISHES = [
    "lentil soup",
    "sourdough bread",
    "grilled mackerel",
    "mushroom risotto",
    "apple cake",
    "spicy noodles",
    "potato salad",
]
ANIMALS = ["otter", "barn owl", "honey bee", "blue whale", "hedgehog", "mountain goat", "salmon", "fruit bat"]
PRODUCTS = [
    "wireless headphones",
    "coffee grinder",
    "hiking boots",
    "office chair",
    "electric kettle",
    "winter jacket",
    "phone charger",
    "bicycle pump",
]
TOPICS = [
    "photosynthesis",
    "compound interest",
    "plate tectonics",
    "the French Revolution",
    "vaccines",
    "binary search",
    "black holes",
    "supply and demand",
    "the water cycle",
    "antibiotic resistance",
    "jazz harmony",
    "contract law",
]
LANGUAGES = ["Python", "Rust", "JavaScript", "C++", "SQL", "Haskell", "a shell script"]
SYMPTOMS = [
    "a dry cough",
    "lower back pain",
    "a mild fever",
    "blurred vision",
    "a swollen ankle",
    "a persistent headache",
]
TEAMS = ["the home side", "the visitors", "the junior crew", "the defending champions", "the underdogs"]
COMPANIES = [
    "the airline",
    "a chip maker",
    "the regional bank",
    "an online bookshop",
    "the brewery",
    "a solar start-up",
]
FILES = ["a CSV file", "a large JSON document", "a log file", "an image", "a directory tree", "a compressed archive"]

# Each template becomes several sentences; {a|b} in a template stands for a list above.
TEMPLATES = [
    ("What is {} and why does it matter?", TOPICS),
    ("Explain {} to a ten year old.", TOPICS),
    ("{} exam questions with answers", TOPICS),
    ("The lecture on {} was postponed because the projector failed.", TOPICS),
    ("{} weather tomorrow", PLACES),
    ("How do I get to {} without a car?", PLACES),
    ("We spent three rainy days near {} and still loved every minute.", PLACES),
    ("The last train to {} leaves at 23:47 from platform 9.", PLACES),
    ("Yesterday {} told a story that nobody in the room believed.", PEOPLE),
    ("If {} had called earlier, the meeting would not have been cancelled.", PEOPLE),
    ("{} waved, smiled and disappeared into the crowd.", PEOPLE),
    ("Add salt to the {} only at the very end, or the texture suffers.", DISHES),
    ("easy {} recipe for six people", DISHES),
    ("The restaurant's {} was cold, late and, frankly, far too expensive.", DISHES),
    ("An adult {} can weigh much more than people expect.", ANIMALS),
    ("Scientists followed one {} for two years with a tiny transmitter.", ANIMALS),
    ("where does the {} sleep in winter", ANIMALS),
    ("These {} broke after two weeks; I want my money back.", PRODUCTS),
    ("Best {} I have ever owned, five stars!", PRODUCTS),
    ("My order of a {} arrived damaged. What can I do?", PRODUCTS),
    ("How to read a file line by line in {}", LANGUAGES),
    ("Error: undefined variable in {}, line 42, column 7.", LANGUAGES),
    ("A short function in {} that reverses a list of integers.", LANGUAGES),
    ("The patient reports {} since Monday and takes no medication.", SYMPTOMS),
    ("Should I see a doctor about {}?", SYMPTOMS),
    ("Nothing helps against {} like rest, water and patience, says the guide.", SYMPTOMS),
    ("In extra time {} scored twice and the stadium went quiet.", TEAMS),
    ("Injuries forced {} to change the whole plan before the final.", TEAMS),
    ("Shares of {} fell 4.2% after a weak forecast for the third quarter.", COMPANIES),
    ("Regulators fined {} for selling data without consent.", COMPANIES),
    ("{} hires 300 engineers for its new plant", COMPANIES),
    ("Write a program that opens {} and counts the unique words in it.", FILES),
    ("Why does my editor freeze when I open {}?", FILES),
]
SUBJECTS = [
    "The committee",
    "Her neighbour",
    "A tired driver",
    "The old lighthouse keeper",
    "My supervisor",
    "Someone at the desk",
]
VERBS = ["rejected", "described", "forgot", "repaired", "borrowed", "celebrated"]
OBJECTS = [
    "the proposal",
    "a broken clock",
    "the wooden bridge",
    "an unusual painting",
    "the annual report",
    "every single letter",
]
ENDINGS = [
    "without a word",
    "before sunrise",
    "in less than an hour",
    "as the law requires",
    "for the second time this week",
    "with great care",
]
SINGLES = [
    "yes",
    "thanks!",
    "2 + 2 = 4",
    "Happy birthday 🎂🎉",
    "lol that's hilarious 😂",
    "RE: FWD: invoice no. 2024-0317",
    "https://example.org/docs/index.html",
    "SELECT name, price FROM items WHERE price > 10 ORDER BY price DESC;",
    "def add(a, b): return a + b",
    "for (int i = 0; i < n; ++i) total += values[i];",
    "Guten Morgen, wie geht es dir?",
    "Le chat dort sur le canapé.",
    "¿Dónde está la estación de tren?",
    "Das Wetter bleibt heute schön und warm.",
    "Il gatto dorme sul divano.",
    "お元気ですか",
    "今天天气很好",
    "Привет, как дела?",
    "E = mc²",
    "The quick brown fox jumps over the lazy dog.",
    "To be, or not to be: that is the question of the evening class.",
    "NASA and ESA plan a joint mission to one of Saturn's icy moons in the 2040s.",
    "CO2 levels rose from 315 ppm to more than 420 ppm within one lifetime.",
    "Please find attached the signed contract and the two missing annexes.",
    "Do not dispose of batteries in household waste.",
    "ACHTUNG! High voltage. Keep out.",
    "Turn left after the bakery, then walk uphill for about ten minutes.",
    "The defendant pleaded not guilty to all three charges.",
    "A prime number has exactly two divisors.",
    "Breaking: earthquake of magnitude 6.1 off the coast, no tsunami warning",
    "my laptop won't turn on after update pls help",
    "asdf qwer zxcv",
    "Supercalifragilisticexpialidocious is hard to spell and harder to tokenize.",
    "Antidisestablishmentarianism",
    'He said: "I never said that she stole my money."',
    "The mitochondrion is the powerhouse of the cell.",
    "Kindly reset my password; the link in the e-mail has expired.",
    "Sell the house, keep the boat.",
    "Rain.",
    "Wind from the north-west at 25 knots, gusts up to 40, visibility poor.",
]

PAIRS = [
    ("How can I {}?", "What is the best way to {}?"),
    ("I would like to {} as soon as possible.", "My wish is to {} quickly."),
    ("It took us two hours to {}.", "We needed two hours in order to {}."),
    ("Nobody here knows how to {}.", "There is no one in this place who is able to {}."),
    ("She decided not to {} this year.", "This year, she chose against it: she will not {}."),
]
ACTIONS = [
    "learn the violin",
    "repair a flat tyre",
    "cancel a subscription",
    "grow tomatoes on a balcony",
    "lower my heating bill",
    "train a puppy",
    "sort a list of numbers",
    "open a bank account abroad",
    "remove a wine stain",
    "back up a phone",
    "apply for a passport",
    "improve my handwriting",
]
WRITTEN_PAIRS = [
    ("The cat sat on the mat.", "A cat was sitting on a rug."),
    ("The company cut 500 jobs.", "Five hundred employees were laid off by the firm."),
    ("He passed away last night.", "He died yesterday evening."),
    ("The movie was boring.", "I found the film dull."),
    ("Prices went up sharply in spring.", "In spring, costs rose a lot."),
    ("A man is playing a guitar on stage.", "On the stage, somebody plays the guitar."),
    ("The kids are playing football in the park.", "Children play soccer in a public garden."),
    ("The surgery was successful.", "The operation went well."),
    ("Turn off the lights when you leave.", "Switch the lamps off before going out."),
    ("The software crashes at start.", "The program fails as soon as it is launched."),
    ("Berlin is the capital of Germany.", "Germany's capital city is Berlin."),
    ("It is forbidden to smoke here.", "Smoking is not allowed in this area."),
]


def sentences() -> list[str]:
    """504 texts: filled templates, combined clauses, oddities, and paragraphs made of the others."""
    texts = [template.format(word) for template, words in TEMPLATES for word in words]
    texts += [
        f"{subject} {verb} {thing} {ending}."
        for i, subject in enumerate(SUBJECTS)
        for j, verb in enumerate(VERBS)
        for thing, ending in [
            (OBJECTS[(i + j) % 6], ENDINGS[(2 * i + j) % 6]),
            (OBJECTS[(i * j + 1) % 6], ENDINGS[(i + 3 * j) % 6]),
        ]
    ]
    texts += SINGLES
    texts = [text[0].upper() + text[1:] if text.endswith((".", "!")) else text for text in texts]
    rng = random.Random(7)
    paragraphs = [" ".join(rng.sample(texts, count)) for count in [2, 3, 4, 5, 6, 8, 10, 12, 16, 20] * 14]
    return texts + paragraphs


def paraphrases() -> list[tuple[str, str]]:
    return [(one.format(action), other.format(action)) for one, other in PAIRS for action in ACTIONS] + WRITTEN_PAIRS
