/**
 * SQL: since when PostgreSQL has archived none of its write-ahead log although it tried. Null while the archive works, and if none is set
 * up.
 */
export const archiveFailingSinceSql = `(select coalesce(last_archived_time, stats_reset) from pg_stat_archiver
  where current_setting('archive_mode') <> 'off' and last_failed_time > coalesce(last_archived_time, '-infinity'))`
