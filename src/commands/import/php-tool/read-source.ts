import mysql, { type Connection } from 'mysql2/promise'
import { CommandRefused } from '../../terminal/refusals.ts'

export type SiteRow = {
  id: number
  name: string
  site_id: string
  unifi_controller_url: string
  unifi_username: string
  unifi_password: string
  is_active: number
}
export type UserRow = { id: number; email: string; name: string | null; is_admin: number; is_active: number }
export type AccessRow = { user_id: number; site_id: number }
export type KeyRow = {
  id: number
  name: string
  key_prefix: string
  key_hash: string
  scope: string
  rate_limit: number
  is_active: number
}
export type TemplateRow = {
  id: number
  name: string
  max_uses: number
  expire_minutes: number
  description: string | null
  qos_rate_max_down: number | null
  qos_rate_max_up: number | null
  qos_usage_quota: number | null
  is_active: number
}
export type SettingRow = { id: number; setting_key: string; setting_value: string | null }
/**
 * `…_seconds` is the time as MySQL knows it, and `…_clock` is what a connection like that of the tool reads. The tool writes times of
 * the controller as the clock of PHP shows them, so they are right only as `…_clock`.
 */
export type VoucherRow = {
  id: number
  site_id: number
  user_id: number | null
  voucher_code: string
  voucher_name: string
  max_uses: number
  expire_minutes: number
  created_seconds: string | null
  created_clock: string | null
  expires_clock: string | null
  unifi_voucher_id: string | null
  status: string | null
  used_count: number | null
  synced_from_unifi: number
  last_sync: string | null
}

export type Source = {
  /** Tables that this version of the tool lacks, or that the account may not read. */
  unread: string[]
  sites: SiteRow[]
  users: UserRow[]
  accesses: AccessRow[]
  keys: KeyRow[]
  templates: TemplateRow[]
  settings: SettingRow[]
  vouchers: VoucherRow[]
}

/** `needed` columns exist in every version of the tool. An `optional` one is newer: its value there is what the tool assumes. */
type Table = { needed: string[]; optional: Record<string, string>; isOptional?: true }

const tables = {
  sites: {
    needed: ['id', 'name', 'site_id', 'unifi_controller_url', 'unifi_username', 'unifi_password'],
    optional: { is_active: '1' },
  },
  users: { needed: ['id', 'email', 'name'], optional: { is_admin: '0', is_active: '1' } },
  user_site_access: { needed: ['user_id', 'site_id'], optional: {}, isOptional: true },
  api_keys: {
    needed: ['id', 'name', 'key_prefix', 'key_hash'],
    optional: { scope: `'write'`, rate_limit: '0', is_active: '1' },
    isOptional: true,
  },
  voucher_templates: {
    needed: ['id', 'name', 'max_uses', 'expire_minutes'],
    optional: {
      description: 'null',
      qos_rate_max_down: 'null',
      qos_rate_max_up: 'null',
      qos_usage_quota: 'null',
      is_active: '1',
    },
    isOptional: true,
  },
  settings: { needed: ['id', 'setting_key', 'setting_value'], optional: {}, isOptional: true },
  vouchers: {
    needed: ['id', 'site_id', 'voucher_code', 'voucher_name', 'max_uses', 'expire_minutes', 'created_at'],
    optional: {
      user_id: 'null',
      unifi_voucher_id: 'null',
      status: `'valid'`,
      used_count: '0',
      expires_at: 'null',
      synced_from_unifi: '0',
      last_sync: 'null',
    },
  },
} satisfies Record<string, Table>

type TableName = keyof typeof tables
type Columns = Map<string, Set<string>>

/** Reads the tables of the tool as they are at one moment. Changes nothing there. */
export async function readSource(url: string): Promise<Source> {
  const connection = await connect(url)
  try {
    const columns = await readColumns(connection)
    rejectMissing(columns)
    await connection.query('set transaction isolation level repeatable read')
    await connection.query('start transaction with consistent snapshot, read only')
    const read = async <Row>(table: TableName): Promise<Row[]> => {
      if (!columns.has(table)) return []
      const [rows] = await connection.query(selectSql(table, columns.get(table) as Set<string>))
      return rows as Row[]
    }
    return {
      unread: Object.keys(tables).filter((table) => !columns.has(table)),
      sites: await read('sites'),
      users: await read('users'),
      accesses: await read('user_site_access'),
      keys: await read('api_keys'),
      templates: await read('voucher_templates'),
      settings: await read('settings'),
      vouchers: await read('vouchers'),
    }
  } catch (error) {
    throw asRefusal(error)
  } finally {
    connection.destroy()
  }
}

async function connect(url: string): Promise<Connection> {
  const uri = url.replace(/^\ufeff/, '')
  if (!isAddress(uri)) throw wrongAddress()
  try {
    return await mysql.createConnection({
      uri,
      charset: 'utf8mb4',
      dateStrings: true,
      connectTimeout: 10_000,
    })
  } catch (error) {
    throw asRefusal(error)
  }
}

/** The package would use localhost and no database instead of parts that it does not find. */
function isAddress(text: string): boolean {
  const { protocol, hostname, pathname } = URL.parse(text) ?? {}
  return /^(mysql|mariadb):$/.test(protocol ?? '') && hostname !== '' && /^\/[^/]+$/.test(pathname ?? '')
}

function wrongAddress(): CommandRefused {
  return new CommandRefused(
    'The file of --mysql-url-file must have one line like mysql://user:password@127.0.0.1:3306/database. In a password, @ is written as %40, : as %3A, / as %2F and a blank as %20.',
  )
}

/** Messages of the package can contain the address, so they are not shown: it has a password. */
function asRefusal(error: unknown): Error {
  if (error instanceof CommandRefused) return error
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return wrongAddress()
  return new CommandRefused(
    `The database of the tool could not be read (${code}). Check the address, the user and its rights (SELECT is enough). In a password, @ is written as %40, : as %3A, / as %2F and a blank as %20.`,
  )
}

async function readColumns(connection: Connection): Promise<Columns> {
  const [rows] = await connection.query(
    `select table_name as tableName, column_name as columnName from information_schema.columns where table_schema = database()`,
  )
  const columns: Columns = new Map()
  for (const { tableName, columnName } of rows as { tableName: string; columnName: string }[])
    columns.set(tableName, (columns.get(tableName) ?? new Set()).add(columnName))
  return columns
}

function rejectMissing(columns: Columns): void {
  const missing = Object.entries<Table>(tables).flatMap(([table, { needed, isOptional }]) => {
    const found = columns.get(table)
    if (!found) return isOptional ? [] : [`the table ${table}`]
    return needed.filter((column) => !found.has(column)).map((column) => `${table}.${column}`)
  })
  if (missing.length > 0)
    throw new CommandRefused(
      `This is not the database of the tool, or not a complete one. It lacks ${missing.join(', ')}. Nothing was imported.`,
    )
}

function selectSql(table: TableName, found: Set<string>): string {
  const { needed, optional }: Table = tables[table]
  const columns = [
    ...needed,
    ...Object.entries(optional).map(([column, value]) => (found.has(column) ? column : `${value} as ${column}`)),
  ]
  const times = (column: string, as: string) =>
    found.has(column)
      ? [`unix_timestamp(${column}) as ${as}_seconds`, `date_format(${column}, '%Y-%m-%d %H:%i:%s') as ${as}_clock`]
      : [`null as ${as}_seconds`, `null as ${as}_clock`]
  const isTime = (column: string) => /^(created_at|expires_at|null as expires_at)$/.test(column)
  const selected =
    table === 'vouchers'
      ? [
          ...columns.filter((column) => !isTime(column)),
          ...times('created_at', 'created'),
          ...times('expires_at', 'expires'),
        ]
      : columns
  return `select ${selected.join(', ')} from ${table} order by ${found.has('id') ? 'id' : '1'}`
}
