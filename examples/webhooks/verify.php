<?php

/** Whether a notice is genuine: $signature is X-Svc-Firma, $body the raw body, $secret the whole whsec_… text. */
function verify(string $signature, string $body, string $secret, ?int $now = null): bool
{
    $t = '';
    $given = [];
    foreach (explode(',', $signature) as $part) {
        [$name, $value] = array_pad(explode('=', $part, 2), 2, '');
        if ($name === 't') {
            $t = $value;
        } elseif ($name === 'v1') {
            $given[] = $value;
        }
    }
    if (!ctype_digit($t) || abs(($now ?? time()) - (int) $t) > 300) {
        return false;
    }
    $expected = hash_hmac('sha256', "$t.$body", $secret);
    foreach ($given as $value) {
        if (hash_equals($expected, $value)) {
            return true;
        }
    }
    return false;
}
