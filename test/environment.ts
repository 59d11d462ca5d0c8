import { randomBytes } from 'node:crypto'

const testKeyring = `test:${randomBytes(32).toString('base64')}`

/** The least environment that the service starts with. */
export function testEnvironment(databaseUrl: string, more: Record<string, string> = {}): Record<string, string> {
  return { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: testKeyring, PORT: '0', LOG_LEVEL: 'silent', ...more }
}
