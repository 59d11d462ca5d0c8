import { keyring } from '#lib/setting-parsers.ts'

/** The same in every process of a test run. */
const encryptionKeys = `test:${Buffer.alloc(32, 'test').toString('base64')}`

export const testKeyring = keyring(encryptionKeys)

/** The least environment that the service starts with. */
export function testEnvironment(databaseUrl: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: encryptionKeys,
    PORT: '0',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'silent',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', // where the sinks are
    ...more,
  }
}
