import { createHash, randomBytes } from 'node:crypto'
import type { ToolDatabase } from './mariadb.ts'

/** Each row has the time of its creation and that of its last change. */
const times = `created_at timestamp default current_timestamp,
  updated_at timestamp default current_timestamp on update current_timestamp`

/** The tables of the tool, version 2.4.0. The long test compares their columns with those of the tool. */
const tables = `
create table settings (
  id int auto_increment primary key, setting_key varchar(100) not null unique, setting_value text,
  ${times}
) default charset=utf8mb4;
create table sites (
  id int auto_increment primary key, name varchar(255) not null, site_id varchar(100) not null,
  unifi_controller_url varchar(255) not null, unifi_username varchar(100) not null,
  unifi_password varchar(255) not null, is_active tinyint(1) default 1, public_access tinyint(1) default 0,
  ${times}
) default charset=utf8mb4;
create table users (
  id int auto_increment primary key, email varchar(255) not null unique, name varchar(255),
  password_hash varchar(255), is_admin tinyint(1) default 0, is_active tinyint(1) default 1,
  microsoft_id varchar(255) unique, totp_secret varchar(64) null, totp_enabled tinyint(1) not null default 0,
  totp_backup_codes text null, last_login timestamp null,
  ${times}
) default charset=utf8mb4;
create table user_site_access (
  id int auto_increment primary key, user_id int not null, site_id int not null,
  created_at timestamp default current_timestamp,
  unique (user_id, site_id),
  foreign key (user_id) references users (id) on delete cascade,
  foreign key (site_id) references sites (id) on delete cascade
) default charset=utf8mb4;
create table voucher_templates (
  id int auto_increment primary key, name varchar(255) not null, max_uses int not null default 1,
  expire_minutes int not null default 480, description varchar(500), qos_rate_max_down int null,
  qos_rate_max_up int null, qos_usage_quota int null, is_active tinyint(1) default 1, created_by int,
  ${times},
  foreign key (created_by) references users (id) on delete set null
) default charset=utf8mb4;
create table api_keys (
  id int auto_increment primary key, name varchar(255) not null, key_prefix varchar(16) not null,
  key_hash varchar(255) not null, scope varchar(16) not null default 'write', rate_limit int not null default 0,
  created_by int, last_used_at timestamp null, is_active tinyint(1) not null default 1,
  created_at timestamp default current_timestamp,
  index (key_prefix),
  foreign key (created_by) references users (id) on delete set null
) default charset=utf8mb4;
create table vouchers (
  id int auto_increment primary key, site_id int not null, user_id int, voucher_code varchar(50) not null,
  voucher_name varchar(255) not null, max_uses int not null, expire_minutes int not null,
  created_at timestamp default current_timestamp, unifi_voucher_id varchar(100),
  status enum('valid', 'used', 'expired') default 'valid', used_count int default 0, expires_at timestamp null,
  synced_from_unifi tinyint(1) default 0, last_sync timestamp null,
  index (unifi_voucher_id),
  foreign key (site_id) references sites (id) on delete cascade,
  foreign key (user_id) references users (id) on delete set null
) default charset=utf8mb4;
create table audit_log (
  id int auto_increment primary key, user_id int, action varchar(100) not null, entity_type varchar(50),
  entity_id varchar(100), details text, ip_address varchar(45), created_at timestamp default current_timestamp,
  foreign key (user_id) references users (id) on delete set null
) default charset=utf8mb4;
create table api_key_hits (
  id bigint auto_increment primary key, api_key_id int not null, hit_at timestamp default current_timestamp,
  index (api_key_id, hit_at)
) default charset=utf8mb4;
create table sessions (
  id varchar(128) primary key, user_id int null, data text, expires_at timestamp not null,
  created_at timestamp default current_timestamp,
  foreign key (user_id) references users (id) on delete cascade
) default charset=utf8mb4;
create table login_attempts (
  id int auto_increment primary key, ip_address varchar(45) not null, email varchar(255) not null,
  attempted_at timestamp default current_timestamp
) default charset=utf8mb4;
create table password_reset_tokens (
  id int auto_increment primary key, user_id int not null, token varchar(128) not null unique,
  expires_at timestamp not null, used tinyint(1) default 0, created_at timestamp default current_timestamp,
  foreign key (user_id) references users (id) on delete cascade
) default charset=utf8mb4;
`

export async function createToolTables(db: ToolDatabase): Promise<void> {
  await db.query(tables)
}

export type SeedToolSite = Partial<{
  id: number
  name: string
  /** The name of the site on its controller. */
  site_id: string
  unifi_controller_url: string
  unifi_username: string
  /** Plain text, or encrypted with the key of the application. */
  unifi_password: string
  is_active: 0 | 1
  public_access: 0 | 1
}>

/** Each of these functions inserts a row and returns its id. The fields are the columns of the table. */
export function seedToolSite(db: ToolDatabase, site: SeedToolSite = {}): Promise<number> {
  return insert(db, 'sites', {
    name: 'Hauptgebäude',
    site_id: 'default',
    unifi_controller_url: 'https://127.0.0.1:9',
    unifi_username: 'api',
    unifi_password: 'secret',
    ...site,
  })
}

export type SeedToolUser = Partial<{
  id: number
  email: string
  name: string | null
  password_hash: string | null
  is_admin: 0 | 1
  is_active: 0 | 1
  microsoft_id: string | null
  totp_secret: string | null
  totp_enabled: 0 | 1
  totp_backup_codes: string | null
  last_login: string | null
}>

export function seedToolUser(db: ToolDatabase, user: SeedToolUser = {}): Promise<number> {
  return insert(db, 'users', { email: `${randomBytes(6).toString('hex')}@example.com`, name: 'Anna Beispiel', ...user })
}

/** Lets a user create vouchers on a site. Administrators need no such row. */
export function seedToolAccess(db: ToolDatabase, userId: number, siteId: number): Promise<number> {
  return insert(db, 'user_site_access', { user_id: userId, site_id: siteId })
}

export type SeedToolTemplate = Partial<{
  id: number
  name: string
  max_uses: number
  expire_minutes: number
  description: string | null
  qos_rate_max_down: number | null
  qos_rate_max_up: number | null
  qos_usage_quota: number | null
  is_active: 0 | 1
  created_by: number | null
}>

export function seedToolTemplate(db: ToolDatabase, template: SeedToolTemplate = {}): Promise<number> {
  return insert(db, 'voucher_templates', { name: 'Tagesgast', ...template })
}

export type SeedToolKey = Partial<{
  id: number
  name: string
  scope: string
  rate_limit: number
  created_by: number | null
  last_used_at: string | null
  is_active: 0 | 1
  created_at: string
}>

/** Returns also the text of the key, of which the table has only a hash. */
export async function seedToolKey(db: ToolDatabase, row: SeedToolKey = {}): Promise<{ id: number; key: string }> {
  const prefix = randomBytes(4).toString('hex')
  const key = `uvt_${prefix}${randomBytes(16).toString('hex')}`
  const hash = createHash('sha256').update(key).digest('hex')
  const id = await insert(db, 'api_keys', { name: 'Check-in', key_prefix: prefix, key_hash: hash, ...row })
  return { id, key }
}

export type SeedToolVoucher = Partial<{
  id: number
  user_id: number | null
  voucher_code: string
  voucher_name: string
  max_uses: number
  expire_minutes: number
  /** Times are in the time zone of the server. */
  created_at: string
  unifi_voucher_id: string | null
  status: 'valid' | 'used' | 'expired' | null
  used_count: number | null
  expires_at: string | null
  synced_from_unifi: 0 | 1
  last_sync: string | null
}>

export function seedToolVoucher(db: ToolDatabase, siteId: number, voucher: SeedToolVoucher = {}): Promise<number> {
  return insert(db, 'vouchers', {
    site_id: siteId,
    voucher_code: '4861409510',
    voucher_name: '2026-11-14_Gast',
    max_uses: 1,
    expire_minutes: 480,
    unifi_voucher_id: randomBytes(12).toString('hex'),
    ...voucher,
  })
}

export function seedToolSetting(db: ToolDatabase, key: string, value: string | null): Promise<number> {
  return insert(db, 'settings', { setting_key: key, setting_value: value })
}

async function insert(db: ToolDatabase, table: string, row: Record<string, unknown>): Promise<number> {
  const { insertId } = await db.query('insert into ?? set ?', [table, row])
  return insertId
}
