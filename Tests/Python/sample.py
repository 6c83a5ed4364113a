"""Loads the sample that `make run` serves: the graph, and people that have names and portraits.

python sample.py RELATIONCTL [OPTIONS OF A CALL …]

The graph is real, and its users are numbers. Names, portraits and remarks are made up, always the
same for the same user. Only the standard library is used.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

DATA = pathlib.Path(__file__).resolve().parents[1] / "Data"
EDGES, CIRCLES = DATA / "facebook_edges.txt", DATA / "facebook_circles.tsv"
# One user has 46 circles, and the preset allows 32. Users are found by their names.
SETTINGS = {"limits": {"groups": 64}, "finds_users": True}
FIRST = (
    "Ada Amir Anna Astrid Bao Ben Carla Chidi Clara Dana Diego Elif Emil Esra Fatima Felix "
    "Goran Grace Hana Hugo Ines Ivan Jonas Judit Kofi Lars Leila Lena Luca Maja Marco Mei "
    "Mira Nadia Nils Noor Olga Omar Paula Priya Quentin Rania Rosa Samir Sofia Sven Tara "
    "Tomás Uma Vera Wanda Yara Yusuf Zoë"
).split()
LAST = (
    "Abebe Andersson Bauer Bianchi Brandt Castillo Costa Demir Diaz Dubois Eriksen Farah "
    "Fischer Garcia Haddad Hansen Horváth Ivanova Jansen Kaya Kowalska Kumar Laurent Lehmann "
    "Lindqvist Lopez Mbeki Meyer Moreau Müller Nakamura Novák Okafor Olsen Park Pereira "
    "Petrov Rossi Sato Schmidt Silva Singh Svoboda Takahashi Tanaka Torres Varga Weber Yilmaz "
    "Ziegler"
).split()
SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗曾单"
GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超霞平刚小龙志玲子涵雨婷"
SKINS = "f3d3b8 e0ac84 c58c5f 9a6340 6b4228".split()
HAIR = "2b2320 5a3a22 8d5a2b c9a15a 777777 a33c2a".split()
REMARKS = (
    "from school, met in Lisbon, neighbour, plays the cello, the tall one, aunt, team lead"
).split(", ")
# The user whose friends have remarks: the first of the graph.
OWNER = "0"
# What is done from then on can be looked up, and taken back.
KEPT = {"history_days": 30}


def nick(number):
    """The name of a user: one in five is of Han characters."""
    if number % 5 == 2:
        second = GIVEN[number * 11 % len(GIVEN)] if number % 3 else ""
        return SURNAMES[number % len(SURNAMES)] + GIVEN[number * 7 % len(GIVEN)] + second
    return f"{FIRST[number * 17 % len(FIRST)]} {LAST[number * 29 % len(LAST)]}"


def portrait(number):
    """A face as a drawing in the address itself, so that it needs no other server."""
    skin, hair = SKINS[number * 3 % len(SKINS)], HAIR[number * 5 % len(HAIR)]
    crown = ("M11 17a9 9 0 0 1 18 0z", "M10 25V15a10 10 0 0 1 20 0v10h-4V16H14v9z")[number % 2]
    drawing = (
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'>"
        f"<path fill='hsl({number * 47 % 360} 45% 78%)' d='M0 0h40v40H0z'/>"
        f"<path fill='hsl({number * 83 % 360} 40% 40%)' d='M6 40a14 12 0 0 1 28 0'/>"
        f"<circle fill='#{skin}' cx='20' cy='18' r='8.5'/><path fill='#{hair}' d='{crown}'/></svg>")
    return "data:image/svg+xml," + urllib.parse.quote(drawing, safe=" ='/:;()")


def users():
    """The ids of all users of the graph, in the order of their numbers."""
    found = {user for line in EDGES.read_text().splitlines() for user in line.split()}
    return sorted(found, key=int)


def people():
    """A request of ImportAccounts for each user."""
    for user in users():
        row = {"user_id": user, "nick": nick(int(user)), "face_url": portrait(int(user))}
        yield {"row": row}


def remarks():
    """The request that gives some friends a remark, and marks others."""
    friends = [other for one, other in map(str.split, EDGES.read_text().splitlines())
               if one == OWNER]
    items = [{"user_id": user, "update_mask": "remark", "remark": REMARKS[at % len(REMARKS)]}
             for at, user in enumerate(friends[::12])]
    items += [{"user_id": user, "update_mask": "starred", "starred": True}
              for user in friends[5::40]]
    return {"user_id": OWNER, "items": items}


def load(relationctl, *options):
    """Loads all of it by the commands that a person would type."""
    def run(*words, **more):
        subprocess.run([relationctl, words[0], *options, *words[1:]], check=True, **more)

    quiet = {"stdout": subprocess.DEVNULL}
    run("call", "UpdateApp", json.dumps({"settings": SETTINGS}), **quiet)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(f"{json.dumps(request)}\n" for request in people())
        file.flush()
        run("call", "ImportAccounts", f"@{file.name}", **quiet)
    run("import", str(EDGES), "--circles", str(CIRCLES), "--fail-on-refused")
    run("call", "UpdateFriends", json.dumps(remarks()), **quiet)
    # The import would fill it.
    run("call", "UpdateApp", json.dumps({"settings": KEPT}), **quiet)


if __name__ == "__main__":
    load(*sys.argv[1:])
