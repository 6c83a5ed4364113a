<?php
// A hook that refuses texts with the word "spam": php -S 127.0.0.1:8080 veto.php
$asked = json_decode(file_get_contents('php://input'), true, 64, JSON_THROW_ON_ERROR);
$refused = [];
foreach ($asked['data']['items'] as $index => $item) {
    if (preg_grep('/spam/', $item['texts'])) {
        $refused[] = ['index' => $index, 'code' => 38001, 'info' => 'no spam'];
    }
}
header('content-type: application/json');
echo json_encode(['items' => $refused]);
