import { Anchor, Button, Code, FileButton, Group, ScrollArea, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { SiteImport, SiteImportRow } from '../../../../client/voucher-api.generated.ts'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { checkSiteImport, importSites } from '../../queries/sites.ts'
import { readCsvFile } from './read-csv-file.ts'
import classes from './sites.module.css'

const columns = 'name,controller,controller_site,active,adopt'
const example = `${columns}\nHotel am Park,Main console,default,yes,no`

/** Imports sites from a file: first a check of every line, then all sites or none. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const check = useMutation({
    ...checkSiteImport(readCsvFile),
    onMutate: () => add.reset(),
  })
  const add = useMutation({
    ...importSites,
    onSuccess: ({ added }) => {
      notifications.show({ message: t('sites-page.imported', { count: added }) })
      onClose()
    },
  })
  const { csv, report, isConverted = false } = check.data ?? {}
  const canImport = csv && report && report.refused === 0 && report.added > 0
  return (
    <Dialog onClose={onClose} title={t('sites-page.import-title')} size={640}>
      <Stack gap="md">
        <Text fz={13.5}>{t('sites-page.import-text')}</Text>
        <Code block>{example}</Code>
        <Text fz={13.5} c="dimmed">
          {t('sites-page.import-site')} {t('sites-page.import-columns')}
        </Text>
        {check.error && <ErrorMessage error={check.error} />}
        {report && <Report report={report} isConverted={isConverted} />}
        {add.error && <ErrorMessage error={add.error} />}
        <Group justify="space-between">
          <FileButton accept=".csv,text/csv" onChange={(file) => file && check.mutate(file)}>
            {(props) => (
              <Button variant={canImport ? 'default' : 'filled'} loading={check.isPending} {...props}>
                {t(report ? 'sites-page.import-other' : 'sites-page.import-choose')}
              </Button>
            )}
          </FileButton>
          {canImport && (
            <Button type="submit" loading={add.isPending} onClick={() => add.mutate(csv)}>
              {t('sites-page.import-add', { count: report.added })}
            </Button>
          )}
        </Group>
        <Text fz="xs" c="dimmed">
          {t('sites-page.import-command')}{' '}
          <Anchor component="span" inherit c="inherit" td="none">
            <Code fz="xs">voucher-service sites import</Code>
          </Anchor>
        </Text>
      </Stack>
    </Dialog>
  )
}

const shownAtMost = 100

function Report({ report, isConverted }: { report: SiteImport; isConverted: boolean }) {
  const { t } = useTranslation()
  const { added, existing, refused, rows } = report
  const wrong = rows.filter(({ outcome }) => outcome === 'refused')
  const repeated = repeatedNames(rows)
  const special = isConverted ? rows.map(({ name }) => name).find((name) => /[^ -~]/.test(name)) : undefined
  return (
    <div role="status">
      <Text fw={600} c={refused > 0 ? 'var(--vs-bad-text)' : 'var(--mantine-color-text)'}>
        {refused > 0 ? t('sites-page.import-wrong', { count: refused }) : t('sites-page.import-new', { count: added })}
      </Text>
      {existing > 0 && (
        <Text fz={13.5} c="dimmed">
          {t('sites-page.import-existing', { count: existing })}
        </Text>
      )}
      {special !== undefined && (
        <Text fz={13.5} c="var(--vs-warn-text)">
          {t('sites-page.import-converted', { name: special })}
        </Text>
      )}
      {repeated.length > 0 && (
        <Text fz={13.5} c="var(--vs-warn-text)">
          {t('sites-page.import-same-name', { count: repeated.length, name: repeated[0] })}
        </Text>
      )}
      {wrong.length > 0 && (
        <ScrollArea.Autosize mah={260} type="auto" mt="xs" viewportProps={{ tabIndex: 0 }}>
          <ul className={classes.rows}>
            {wrong.slice(0, shownAtMost).map((row) => (
              <li key={row.line}>
                <Text component="span" fz={13.5} fw={500} miw={72}>
                  {t('sites-page.line', { line: row.line })}
                </Text>
                <span>
                  <Reason row={row} />
                </span>
              </li>
            ))}
          </ul>
        </ScrollArea.Autosize>
      )}
    </div>
  )
}

/** Names of several new sites. People at the desk could not tell these sites apart. */
function repeatedNames(rows: SiteImportRow[]): string[] {
  const names = rows.filter(({ outcome }) => outcome === 'added').map(({ name }) => name)
  return [...new Set(names.filter((name, index) => names.indexOf(name) < index))]
}

const codes = [
  'controller_not_found',
  'site_recorded_under_other_name',
  'row_repeated',
  'row_length_wrong',
  'column_empty',
  'column_invalid',
  'column_not_yes_or_no',
] as const

function Reason({ row: { code, column, value, other_line, site } }: { row: SiteImportRow }) {
  const { t } = useTranslation()
  const known = codes.find((one) => one === code)
  if (!known) return code
  return t(`sites-page.row-${known}`, { column, value, line: other_line, name: site?.name, id: site?.id })
}
