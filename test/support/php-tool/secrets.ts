import { execFileSync } from 'node:child_process'

/** A key of the application (`APP_KEY`): 32 bytes in base64. */
export const toolAppKey = Buffer.alloc(32, 'k').toString('base64')

/**
 * Texts that the tool itself encrypted with `toolAppKey`, with PHP 8.2 and libsodium 1.0.18:
 * `php -r 'define("APP_KEY", base64_encode(str_repeat("k", 32))); require "includes/Crypto.php"; echo Crypto::encrypt($argv[1]);' TEXT`
 */
export const encryptedByTool = [
  {
    text: 'controller-password',
    encrypted: 'enc:v1:XJxzIOA+Ev/YQ8Tha9kgSrL4std/SmxiuCCe+ep/kemsoMr/co6FCQAcqNNWS5gITf9oG+x4Yww0458=',
  },
  {
    text: 'uni-fi: pässwörd €',
    encrypted: 'enc:v1:9MWDG2JYI7OFaBeW7KjtmA++eZYKwdhKNd//UWN8yxdm/9/osu252B/blaGzxnigPbeWN/lq2Cb/FtUHPqE=',
  },
] as const

/** A password and its hash in the table of users, made with `password_hash` of PHP 8.2. */
export const hashedByTool = {
  password: 'voucher-desk-2026',
  hash: '$2y$10$n.3bsXENS53L.I/Nsr67OOlBONMWdp8lBpX4WCS1aHOKmynXHed0C',
}

const program = `
$nonce = random_bytes(SODIUM_CRYPTO_SECRETBOX_NONCEBYTES);
echo 'enc:v1:' . base64_encode($nonce . sodium_crypto_secretbox($argv[2], $nonce, base64_decode($argv[1])));
`

/** Encrypts as the tool does: 24 random bytes and the secretbox, in base64. It needs PHP, so only long tests can use it. */
export function encryptLikeTool(appKey: string, text: string): string {
  return execFileSync('php', ['-n', '-r', program, appKey, text], { encoding: 'utf8' })
}
