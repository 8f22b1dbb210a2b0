<?php

declare(strict_types=1);

/* Tests of Svc.php against a server that fails as told, and against a demo. Operations.php is generated. */

require_once (getenv('OPERATIONS_PHP') ?: __DIR__ . '/Operations.php');

const SOON = ['Retry-After' => '0'];

function check(bool $holds, string $what): void
{
    if (!$holds) {
        throw new LogicException($what);
    }
}

function equal(mixed $found, mixed $expected): void
{
    check($found === $expected, var_export($found, true) . ' is not ' . var_export($expected, true));
}

/** The error that this throws. */
function refused(callable $work): SvcError
{
    try {
        $work();
    } catch (SvcError $error) {
        return $error;
    }
    throw new LogicException('nothing was refused');
}

/** Answers requests one by one by these steps, the last one ever after; null breaks the connection. */
function serve($listener, array $steps, string $log): never
{
    for ($count = 0; ; $count++) {
        $stream = stream_socket_accept($listener, 30);
        if ($stream === false) {
            exit(0);
        }
        $head = '';
        while (!str_ends_with($head, "\r\n\r\n") && ($line = fgets($stream)) !== false) {
            $head .= $line;
        }
        preg_match('/^content-length: (\d+)/mi', $head, $length);
        preg_match('/^idempotency-key: (\S+)/mi', $head, $key);
        $body = ($length[1] ?? 0) > 0 ? stream_get_contents($stream, (int) $length[1]) : '';
        $seen = ['method' => strtok($head, ' '), 'key' => $key[1] ?? null, 'body' => $body];
        file_put_contents($log, json_encode($seen) . "\n", FILE_APPEND);
        $step = $steps[min($count, count($steps) - 1)];
        if ($step !== null) {
            [$status, $codigo, $headers] = $step;
            $error = ['ok' => false, 'error' => ['codigo' => $codigo, 'mensaje' => 'm', 'peticion' => 'p']];
            $page = ['datos' => [], 'siguiente' => 'c', 'hay_mas' => false];
            $body = json_encode($status < 300 ? ['ok' => true, 'cliente' => 7] + $page : $error);
            $headers += ['Content-Type' => 'application/json', 'Content-Length' => strlen($body), 'Connection' => 'close'];
            $lines = array_map(fn ($name, $value) => "$name: $value\r\n", array_keys($headers), $headers);
            fwrite($stream, "HTTP/1.1 $status X\r\n" . implode($lines) . "\r\n$body");
        }
        fclose($stream);
    }
}

/** Runs $work with a client of such a server; gives the requests that it saw. */
function against(array $steps, callable $work, array $more = []): array
{
    $listener = stream_socket_server('tcp://127.0.0.1:0');
    $log = tempnam(sys_get_temp_dir(), 'svc');
    $child = pcntl_fork();
    if ($child === 0) {
        serve($listener, $steps, $log);
    }
    try {
        $url = 'http://' . stream_socket_get_name($listener, false);
        $work(new Operations($url, '1_a', 'svc_b', ...$more));
        return array_map(fn ($line) => json_decode($line, true), file($log));
    } finally {
        posix_kill($child, SIGKILL);
        pcntl_waitpid($child, $status);
        unlink($log);
    }
}

$ana = ['nombre' => 'Ana'];
$tests = [];

$tests['a write is sent again with its key and body until it is answered'] = function () use ($ana) {
    $steps = [[503, 'ocupado', SOON], null, [500, 'error_interno', SOON], [409, 'idempotencia_en_curso', SOON], [201, '', []]];
    $seen = against($steps, function (Operations $api) use ($ana) {
        equal($api->createCustomer($ana)['cliente'], 7);
        $api->createCustomer($ana);
    });
    $keys = array_column($seen, 'key');
    equal(count($seen), 6);
    equal(count(array_unique(array_slice($keys, 0, 5))), 1);
    check($keys[5] !== $keys[0], 'another operation has another key');
    equal(array_unique(array_column($seen, 'body')), ['{"nombre":"Ana"}']);
};

$tests['a key that is given stays, and a read has none'] = function () use ($ana) {
    $seen = against([[429, 'limite_excedido', SOON], [201, '', []]], function (Operations $api) use ($ana) {
        $api->createCustomer($ana, ['Idempotency-Key' => 'uno']);
        $api->readHealth();
    });
    equal(array_column($seen, 'key'), ['uno', 'uno', null]);
};

$tests['what another attempt would not change is given at once'] = function () use ($ana) {
    foreach ([[400, 'dato_invalido'], [409, 'rfc_duplicado'], [422, 'rfc_invalido']] as [$status, $codigo]) {
        $seen = against([[$status, $codigo, []]], function (Operations $api) use ($ana, $status, $codigo) {
            $error = refused(fn () => $api->createCustomer($ana));
            equal([$error->status, $error->codigo, $error->peticion], [$status, $codigo, 'p']);
        });
        equal(count($seen), 1);
    }
};

$tests['Retry-After is waited for, unless it takes too long'] = function () use ($ana) {
    $began = microtime(true);
    $create = fn (Operations $api) => $api->createCustomer($ana);
    against([[503, 'ocupado', ['Retry-After' => '1']], [201, '', []]], $create);
    check(microtime(true) - $began >= 1, 'it waits');
    $seen = against([[429, 'cupo_agotado', ['Retry-After' => '86400']]], function (Operations $api) use ($create) {
        equal(refused(fn () => $create($api))->status, 429);
    });
    equal(count($seen), 1);
};

$tests['a list that grows ends'] = function () {
    $seen = against([[200, '', []]], fn (Operations $api) => iterator_to_array($api->records('/eventos')));
    equal(count($seen), 1);
};

$tests['attempts end'] = function () use ($ana) {
    $seen = against([[503, 'ocupado', SOON]], fn ($api) => refused(fn () => $api->createCustomer($ana)));
    equal(count($seen), 5);
    $seen = against([null], function (Operations $api) use ($ana) {
        try {
            $api->createCustomer($ana);
        } catch (RuntimeException $failure) {
            return check(!$failure instanceof SvcError, $failure->getMessage());
        }
        throw new LogicException('there was an answer');
    }, ['attempts' => 2, 'patience' => 0.01]);
    equal(count($seen), 2);
};

$tests['a notice is taken only if it is genuine'] = function () {
    $body = '{"id":"evt_1","tipo":"cliente.creado"}';
    $signed = fn (int $t, string $secret = 'whsec_0123') => "t=$t,v1=" . hash_hmac('sha256', "$t.$body", $secret);
    $now = time();
    equal(Svc::notice($signed($now), $body, 'whsec_0123')['id'], 'evt_1');
    $rotated = $signed($now, 'whsec_old') . ',v1=' . explode('v1=', $signed($now))[1];
    equal(Svc::notice($rotated, $body, 'whsec_0123')['id'], 'evt_1');
    $wrong = [null, '', 't=x,v1=00', $signed($now, 'whsec_other'), $signed($now - 302), $signed($now + 302)];
    foreach ($wrong as $signature) {
        equal(Svc::notice($signature, $body, 'whsec_0123'), null);
    }
    equal(Svc::notice($signed($now), '{}', 'whsec_0123'), null);
};

$tests["the demo's lists, errors and limits"] = function () use ($ana) {
    $api = new Operations(attempts: 2, patience: 2);
    $claves = [];
    foreach ($api->listCustomers(['limite' => 7]) as $customer) {
        $claves[] = $customer['clave'];
    }
    check(count($claves) > 30 && count(array_unique($claves)) === count($claves), 'no record comes twice');
    foreach ($api->listSales(['tipo' => 'factura', 'cancelada' => false]) as $sale) {
        equal($sale['cancelada'], false);
        break;
    }
    $busy = fn () => $api->request('GET', '/clientes', headers: ['X-Svc-Simular' => 'ocupado']);
    equal([refused($busy)->status, refused($busy)->codigo], [503, 'ocupado']);
    $key = ['Idempotency-Key' => bin2hex(random_bytes(8))];
    $first = $api->createCustomer($ana, $key);
    equal($api->createCustomer($ana, $key), $first);
    equal(refused(fn () => $api->editCustomer(0, ['nombre' => 'Nadie']))->codigo, 'no_encontrado');
    $files = 0;
    foreach ($api->listInvoices(['estatus' => 'vigente']) as $invoice) {
        try {
            check(str_starts_with($api->readInvoicePdf($invoice['clave']), '%PDF-'), 'a file is its bytes');
            $files++;
            break;
        } catch (SvcError $error) {
            equal($error->codigo, 'documento_no_disponible');
        }
    }
    equal($files, 1);
};

$failed = 0;
foreach ($tests as $name => $test) {
    try {
        $test();
        echo "ok - $name\n";
    } catch (Throwable $failure) {
        $failed++;
        echo "not ok - $name: {$failure->getMessage()} ({$failure->getFile()}:{$failure->getLine()})\n";
    }
}
printf("%d passed, %d failed\n", count($tests) - $failed, $failed);
exit($failed === 0 ? 0 : 1);
