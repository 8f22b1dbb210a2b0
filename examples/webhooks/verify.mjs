import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether a notice is genuine: `signature` is X-Svc-Firma, `body` the raw body as a Buffer, `secret` the whole whsec_… text. */
export function verify(signature, body, secret, now = Date.now() / 1000) {
  const parts = signature.split(",").map((part) => part.split("="));
  const t = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\d+$/.test(t) || Math.abs(now - Number(t)) > 300) return false;
  const expected = createHmac("sha256", secret).update(`${t}.`).update(body).digest();
  return parts.some(([name, value]) => {
    const given = name === "v1" ? Buffer.from(value ?? "", "hex") : Buffer.alloc(0);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
