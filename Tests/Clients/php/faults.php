<?php
// Adds a friend, and follows changes over two broken streams: php faults.php ADDRESS

use Relation\Client\Client;
use Relation\V1\AddFriend;
use Relation\V1\AddFriendsRequest;
use Relation\V1\WatchRequest;

$client = new Client($argv[1]);
$items = [new AddFriend(['user_id' => 'bob'])];
$request = new AddFriendsRequest(['user_id' => 'ann', 'items' => $items]);
$answer = $client->friend->addFriends($request);
echo 'applied ', json_encode($answer->getApplied()), "\n";
foreach ($client->changes(new WatchRequest(['user_id' => 'ann'])) as $message) {
    echo $message->getResumeToken(), "\n";
    if ($message->getResumeToken() === 'token-3') {
        break;
    }
}
