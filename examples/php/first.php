<?php

declare(strict_types=1);

/* The first calls: a list over all its pages, a write that is done once, an error by its code. */

require_once getenv('OPERATIONS_PHP') ?: __DIR__ . '/Operations.php';

// Where the API is and whose key asks: SVC_BASE_URL, SVC_KEY_ID and SVC_API_KEY.
$api = new Operations();

echo iterator_count($api->listCustomers()), " customers\n";

// Sent again where that is safe, with the same Idempotency-Key.
$created = $api->createCustomer(['nombre' => 'Ferretería La Paz', 'cp' => '06700']);
echo "customer {$created['cliente']}\n";

try {
    $api->editCustomer(0, ['nombre' => 'Nadie']);
} catch (SvcError $error) {
    if ($error->codigo !== 'no_encontrado') {
        throw $error;
    }
    echo $error->mensaje, "\n";
}
