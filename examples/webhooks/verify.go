package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Verify reports whether a notice is genuine: signature is X-Svc-Firma, body the raw body, secret
// the whole whsec_… text.
func Verify(signature string, body []byte, secret string, now time.Time) bool {
	var t string
	var given []string
	for _, part := range strings.Split(signature, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			t = value
		case "v1":
			given = append(given, value)
		}
	}
	at, err := strconv.ParseInt(t, 10, 64)
	if age := now.Unix() - at; err != nil || age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, value := range given {
		if sent, err := hex.DecodeString(value); err == nil && hmac.Equal(sent, expected) {
			return true
		}
	}
	return false
}
