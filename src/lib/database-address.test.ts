import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { databaseUrl, parseDatabaseAddress, replaceDatabase } from './database-address.ts'

const account = userInfo().username
const plain = { user: 'u', password: undefined, database: 'db', tls: undefined, options: undefined }
const files = { sslrootcert: undefined, sslcert: undefined, sslkey: undefined, sslnegotiation: undefined }
const at = (host: string, port = 5432) => [{ host, port }]
const full = { sslmode: 'verify-full', ...files }

test.each([
  ['postgres://u:p@a:5433/db', { hosts: at('a', 5433), password: 'p' }],
  ['postgresql://u@a/db', { hosts: at('a') }],
  ['POSTGRES://u@a/db', { hosts: at('a') }],
  ['postgres://u:a%40b%3A%2F%23%25%3F@a/db', { hosts: at('a'), password: 'a@b:/#%?' }],
  ['postgres://u:a:b+c@a/db', { hosts: at('a'), password: 'a:b+c' }],
  ['postgres://u:@a:/db', { hosts: at('a') }],
  ['postgres://u@[::1]:5433/db', { hosts: at('::1', 5433) }],
  ['postgres://u@[fe80::1%25eth0]/db', { hosts: at('fe80::1%eth0') }],
  ['postgres://u@a/db\r\n', { hosts: at('a') }],
  ['postgres://u:a\nb@a/db', { hosts: at('a'), password: 'a\nb' }],
  ['postgres://u@a', { hosts: at('a'), database: 'u' }],
  ['postgres://u@a/', { hosts: at('a'), database: 'u' }],
  ['postgres://u@a/guest%20wifi', { hosts: at('a'), database: 'guest wifi' }],
  ['postgres://u@a/guest wifi', { hosts: at('a'), database: 'guest wifi' }],
  ['postgres://u@a/a%2Fb%3Fc', { hosts: at('a'), database: 'a/b?c' }],
  ['postgres:///db', { hosts: at('localhost'), user: account }],
  ['postgres:///db?host=/run/postgresql', { hosts: at('/run/postgresql'), user: account }],
  ['postgres://u@/db?host=/run/postgresql&port=5433', { hosts: at('/run/postgresql', 5433) }],
  ['postgres://u@%2Frun%2Fpostgresql/db', { hosts: at('/run/postgresql') }],
  ['postgres://localhost?user=u&password=p%26&dbname=db', { hosts: at('localhost'), password: 'p&' }],
  ['postgres://u@a/db?options=-c%20search_path%3Dx', { hosts: at('a'), options: '-c search_path=x' }],
  ['postgres://u@a/db?sslmode=disable', { hosts: at('a') }],
  ['postgres://u@a/db?sslmode=require', { hosts: at('a'), tls: full }],
  ['postgres://u@a/db?sslmode=no-verify', { hosts: at('a'), tls: { ...full, sslmode: 'no-verify' } }],
  ['postgres://u@a/db?sslrootcert=system', { hosts: at('a'), tls: { ...full, sslrootcert: 'system' } }],
  [
    'postgres://u@a/db?sslmode=require&sslnegotiation=direct',
    { hosts: at('a'), tls: { ...full, sslnegotiation: 'direct' } },
  ],
  ['postgres://u@a,b/db', { hosts: [...at('a'), ...at('b')] }],
  ['postgres://u@a:5433,b/db', { hosts: [...at('a', 5433), ...at('b')] }],
  ['postgres://u@[::1]:5433,[::2]:5434/db', { hosts: [...at('::1', 5433), ...at('::2', 5434)] }],
  ['postgres://u@/db?host=a,b&port=5433', { hosts: [...at('a', 5433), ...at('b', 5433)] }],
  ['postgres://u@/db?host=a,b&port=5433,5434', { hosts: [...at('a', 5433), ...at('b', 5434)] }],
  ['postgres://u@/db?host=/run/a,/run/b', { hosts: [...at('/run/a'), ...at('/run/b')] }],
])('%s is understood, and its complete form means the same', (text, expected) => {
  const address = parseDatabaseAddress(text)
  const elsewhere = { PGHOST: 'other', PGPORT: '1', PGUSER: 'other', PGDATABASE: 'other', PGSSLMODE: 'no-verify' }

  expect(address).toEqual({ ...plain, ...expected })
  expect(parseDatabaseAddress(databaseUrl(text, {}), elsewhere)).toEqual(address)
})

test('variables of PostgreSQL fill the gaps of an address', () => {
  const env = { PGHOST: 'a', PGPORT: '5433', PGUSER: 'u', PGPASSWORD: 'p', PGDATABASE: 'db', PGSSLMODE: 'require' }

  expect(parseDatabaseAddress('postgres://', env)).toEqual({
    ...plain,
    ...{ hosts: at('a', 5433), password: 'p', tls: full },
  })
  expect(parseDatabaseAddress('postgres://v@b:1/x?sslmode=disable', { ...env, PGPASSWORD: '' })).toEqual({
    ...plain,
    ...{ hosts: at('b', 1), user: 'v', database: 'x' },
  })
})

test('TLS variables do not matter for a socket', () => {
  const env = { PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/no/ca.crt' }

  expect(parseDatabaseAddress('postgres://u@/db?host=/run/postgresql', env).tls).toBeUndefined()
})

test('another database of the same server keeps everything else', () => {
  const url = 'postgres://u:p%40@%2Frun%2Fpostgresql:5433/db?options=-c%20x%3D1'

  expect(replaceDatabase(url, 'guest wifi/2')).toBe(
    'postgres://u:p%40@%2Frun%2Fpostgresql:5433/guest%20wifi%2F2?options=-c%20x%3D1',
  )
})

test.each(['postgres://u@a/db?password=p&hunter2', 'postgres://u@a/db?password=p&hunter2=1', 'postgres://u:p?hunter2'])(
  '%s is rejected without repeating what may be a part of the password',
  (text) => {
    expect(() => parseDatabaseAddress(text)).toThrow(/^The parameter number \d after the \? does not exist\. .* %26/)
  },
)

test('names that every object of JavaScript has are no parameters', () => {
  expect(() => parseDatabaseAddress('postgres://u@a/db?constructor=1')).toThrow('does not exist')
})

test.each(['postgres://u%00x@a/db', 'postgres://u:p%00@a/db', 'postgres://u@a/db%00', 'postgres://u@a/db?options=%00'])(
  '%s is rejected, because it contains a zero byte',
  (text) => {
    expect(() => parseDatabaseAddress(text)).toThrow('contains %00')
  },
)
