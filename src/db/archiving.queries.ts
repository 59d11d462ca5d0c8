/** SQL: PostgreSQL should archive its write-ahead log (`archive_mode`), and no command or library says how. It then keeps all of it. */
export const isArchiveMissingSql = `(current_setting('archive_mode') <> 'off'
  and current_setting('archive_command') = '' and current_setting('archive_library') = '')`

/**
 * SQL: since when PostgreSQL has archived none of its write-ahead log although it should, because that fails or nothing says how. Null
 * while the archive works, also if there is nothing to archive, and if `archive_mode` is off. PostgreSQL does not store the first
 * failure, so this is the time of the last success. Without one, it is the start of the server, which `archive_mode` needs.
 */
export const archiveFailingSinceSql = `(
  select coalesce(last_archived_time, greatest(stats_reset, pg_postmaster_start_time())) from pg_stat_archiver
   where ${isArchiveMissingSql}
      or current_setting('archive_mode') <> 'off' and last_failed_time > coalesce(last_archived_time, '-infinity'))`
