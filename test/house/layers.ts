/**
 * Layers of `src`, the highest first, and what each may import. An entry is a layer (`db`), or one file of a layer
 * (`db/database.ts`). Every layer may import its own files.
 */
export const layers: Record<string, string[]> = {
  commands: ['http', 'worker', 'metrics', 'domain', 'drivers', 'queue', 'db', 'lib', 'context.ts', 'config.ts'],
  http: ['domain', 'limits', 'lib', 'db/database.ts', 'drivers/driver.ts', 'drivers/layer-check.ts'],
  worker: [
    'domain',
    'queue',
    'limits',
    'lib',
    'db/database.ts',
    'db/breaking-migrations.queries.ts',
    'db/retention.queries.ts',
  ],
  metrics: [
    'domain',
    'queue',
    'limits',
    'lib',
    'db/database.ts',
    'db/breaking-migrations.queries.ts',
    'drivers/driver.ts',
  ],
  domain: ['queue', 'db', 'lib', 'drivers/driver.ts', 'drivers/layer-check.ts'],
  drivers: ['lib'],
  queue: ['db', 'lib'],
  limits: ['db', 'lib'],
  db: ['lib'],
  lib: [],
}

/** Folders of `src/domain`, the lowest first. Each may import the folders before it, and the files of `src/domain` itself. */
export const domainFolders = [
  'audit',
  'secrets',
  'keys',
  'controllers',
  'sites',
  'settings',
  'templates',
  'webhooks',
  'deliveries',
  'outages',
  'record',
  'batches',
  'vouchers',
  'creating',
  'revocations',
  'syncing',
  'holding',
  'people',
  'single-sign-on',
  'overview',
]
