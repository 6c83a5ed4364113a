"""CheckFriends by grpcio, on one event loop. It answers that each user of the request is a friend
in both directions. Its argument is the folder of the code that protoc made."""

import asyncio
import signal
import sys

import grpc

sys.path.insert(0, sys.argv[1])

from relation.v1 import common_pb2, friend_pb2, friend_pb2_grpc  # noqa: E402


class Friends(friend_pb2_grpc.FriendServiceServicer):
    async def CheckFriends(self, request, context):
        return friend_pb2.CheckFriendsResponse(
            results=[
                friend_pb2.CheckFriendResult(
                    user_id=user,
                    code=common_pb2.FRIEND_STATUS_SUCC,
                    relation=common_pb2.FRIEND_RELATION_BOTH_WAY,
                )
                for user in request.user_ids
            ]
        )


async def main():
    server = grpc.aio.server()
    friend_pb2_grpc.add_FriendServiceServicer_to_server(Friends(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    print(f"listening on 127.0.0.1:{port}", flush=True)
    await stopped.wait()
    await server.stop(None)


asyncio.run(main())
