import pg from 'pg'
import { onFileEnd } from '../on-file-end.ts'
import type { TestDatabase } from './database.ts'

/** A record about a table or an index, without the number of its partition. A commit has no relation. */
export type WalRecord = { xid: string; relation: string | null; bytes: number }

/**
 * Reads the WAL of a test database. The server has one WAL for all databases: the more other tests write, the longer reading it
 * takes. So the caller takes the last position right after the work, and this connection has no time limit.
 */
export async function connectToWal({ url }: Pick<TestDatabase, 'url'>) {
  const client = new pg.Client({ connectionString: url })
  onFileEnd(() => client.end())
  await client.connect()
  await client.query('create extension pg_walinspect')
  return {
    /** The WAL before this position contains everything that was committed before. */
    async position(): Promise<string> {
      const { rows } = await client.query<{ at: string }>('select pg_current_wal_flush_lsn() as at')
      return rows[0]?.at as string
    },
    /**
     * Returns the records about the relations of the service whose names match, and the commits that changed these relations.
     * The bytes do not include full-page images, because these depend on checkpoints.
     */
    async read(first: string, last: string, relations: RegExp): Promise<WalRecord[]> {
      const { rows } = await client.query<WalRecord>(
        `with records as materialized (
           select xid::text, record_length - fpi_length as bytes,
                  regexp_match(block_ref, 'rel \\d+/(\\d+)/(\\d+)') as place
             from pg_get_wal_records_info($1, $2)
         ), own as materialized ( -- other tests may write much more
           select xid, bytes, place[2]::oid as file from records
            where place[1]::oid = (select oid from pg_database where datname = current_database())
         ), named as materialized (
           select own.xid, own.bytes, regexp_replace(c.relname, '_\\d\\d(?=_|$)', '') as relation
             from own join pg_class c on c.relfilenode = own.file
            where c.relnamespace = 'public'::regnamespace and c.relname ~ $3
         )
         select xid, relation, bytes::integer from named
         union all
         -- Records without a transaction, such as a list of all running ones, belong to no commit.
         select xid, null, bytes::integer from records where place is null and xid <> '0' and xid in (select xid from named)`,
        [first, last, relations.source],
      )
      return rows
    },
  }
}

/** The bytes of each relation divided by `count`, the most first. */
export function bytesByRelation(records: WalRecord[], count: number): string {
  return [...Map.groupBy(records, ({ relation }) => relation ?? 'commit')]
    .map(([name, all]) => ({ name, bytes: sumBytes(all) }))
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(({ name, bytes }) => `${name} ${Math.round(bytes / count)}`)
    .join(', ')
}

export function sumBytes(records: WalRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes, 0)
}
