import { randomBytes } from 'node:crypto'
import { connectDatabase, type Database } from '#db/database.ts'
import { migrateAll } from '../../../src/commands/migrate.ts'
import { onFileEnd } from '../on-file-end.ts'
import { databaseUrl, queryServer } from './template-database.ts'

export type TwoRoles = {
  /** An administrator of the server. */
  admin: Database
  owner: Database
  /** The role with which the service runs. */
  service: Database
  ownerUrl: string
  serviceUrl: string
  serviceRole: string
}

/** A database whose owner is no superuser, and a second role for the service. Both are dropped after the file. */
export async function createTwoRoles({ isMigrated = true } = {}): Promise<TwoRoles> {
  const name = `voucher_roles_${randomBytes(6).toString('hex')}`
  const [ownerRole, serviceRole] = [`${name}_owner`, `${name}_service`]
  await queryServer(`create role ${ownerRole} login; create role ${serviceRole} login`)
  await queryServer(`create database ${name} owner ${ownerRole}`)
  const urlOf = (username: string) => Object.assign(new URL(databaseUrl(name)), { username }).href
  const connect = (url: string) => connectDatabase({ url, poolSize: 2, timeoutMs: 30_000, onError: () => {} })
  const [ownerUrl, serviceUrl] = [urlOf(ownerRole), urlOf(serviceRole)]
  const [admin, owner, service] = [connect(databaseUrl(name)), connect(ownerUrl), connect(serviceUrl)]
  onFileEnd(async () => {
    for (const db of [admin, owner, service]) await db.close()
    await queryServer(`drop database ${name} with (force)`)
    await queryServer(`drop role ${ownerRole}, ${serviceRole}`)
  })
  if (isMigrated) await migrateAll({ databaseUrl: ownerUrl, serviceRole })
  return { admin, owner, service, ownerUrl, serviceUrl, serviceRole }
}
