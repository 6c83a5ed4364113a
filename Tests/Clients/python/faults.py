"""Adds a friend, and follows changes over two broken streams: python faults.py ADDRESS"""

import sys

from relation_client import Client, v1

with Client(sys.argv[1]) as client:
    request = v1.AddFriendsRequest(user_id="ann", items=[v1.AddFriend(user_id="bob")])
    print("applied", client.friend.add_friends(request).applied)
    for message in client.changes(v1.WatchRequest(user_id="ann")):
        print(message.resume_token)
        if message.resume_token == "token-3":
            break
