"""Adds a friend, lists two, and follows changes over broken streams: python faults.py ADDRESS"""

import itertools
import sys

from relation_client import Client, api_key, v1

numbers = itertools.count(1)
with Client(sys.argv[1], credential=lambda: api_key(str(next(numbers))), app=7) as client:
    request = v1.AddFriendsRequest(user_id="ann", items=[v1.AddFriend(user_id="bob")])
    print("applied", client.friend.add_friends(request).applied)
    for friend in client.friend.list_friends.all(v1.ListFriendsRequest(user_id="ann")):
        print(friend.user_id)
    for message in client.changes(v1.WatchRequest(user_id="ann")):
        print(message.resume_token)
        if message.resume_token == "token-3":
            break
