import { Button, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '../../../../client/voucher-api.generated.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ExportError } from '../../components/export-error.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { FilterBar, FilterChip, FilterMenu, SearchField } from '../../components/table/filters.tsx'
import { Pager } from '../../components/table/pager.tsx'
import { addTexts } from '../../i18n/i18n.ts'
import { auditQuery, exportAudit } from '../../queries/audit.ts'
import { useScopeZone } from '../../sites.ts'
import { AuditList } from './audit-list.tsx'
import { type AuditSearch, actionGroups, actorKinds, periods, toQuery } from './audit-search.ts'
import { actorName, targetName } from './audit-words.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

const pageSize = 50

/** The audit entries, newest first. The filters are in the address. */
export function AuditPage() {
  const { t } = useTranslation()
  const { site: _, ...search } = useSearch({ from: '/shell/audit' })
  const timeZone = useScopeZone()
  const navigate = useNavigate()
  const show = (next: AuditSearch) => void navigate({ to: '/audit', search: next })
  const filter = (change: AuditSearch) => show({ ...search, cursor: undefined, page: undefined, ...change })
  const { data, error, refetch } = useQuery(
    auditQuery(search, () => ({
      ...toQuery(search),
      limit: pageSize,
      ...(search.cursor && { cursor: search.cursor }),
    })),
  )
  const exporting = useMutation(exportAudit(() => toQuery(search)))
  const isFiltered = Object.entries(search).some(([name, value]) => value !== undefined && name !== 'page')
  return (
    <>
      <PageTitle title={t('audit.title')} timeZone={timeZone}>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={exporting.isPending}
          onClick={() => exporting.mutate()}
        >
          {t('audit.export')}
        </Button>
      </PageTitle>
      {data?.can_be_changed && (
        <Text size="sm" c="dimmed" mb="md">
          {t('audit.can-be-changed')}
        </Text>
      )}
      <Filters search={search} onFilter={filter} names={namesOf(t, search, data?.entries ?? [])} />
      {exporting.error && (
        <div style={{ marginBottom: 16 }}>
          <ExportError
            error={exporting.error}
            tooLarge={{ title: t('audit.too-many'), text: t('audit.too-many-text') }}
            onRetry={() => exporting.mutate()}
          />
        </div>
      )}
      {error && !data ? (
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      ) : (
        <AuditList
          entries={data?.entries}
          timeZone={timeZone}
          onFilter={filter}
          empty={
            isFiltered ? (
              <EmptyState title={t('table.no-match')} text={t('audit.no-match-text')}>
                <Button variant="default" onClick={() => show({})}>
                  {t('table.clear')}
                </Button>
              </EmptyState>
            ) : (
              <EmptyState title={t('audit.empty')} text={t('audit.empty-text')} />
            )
          }
          foot={
            data && (
              <Pager
                cursor={search.cursor}
                page={search.page}
                size={pageSize}
                count={data.entries.length}
                nextCursor={data.next_cursor}
                onMove={(position) => show({ ...search, cursor: undefined, page: undefined, ...position })}
              />
            )
          }
        />
      )}
    </>
  )
}

type Names = { actor: string; target: string }

/** The names of the person, key or thing that the list is limited to. */
function namesOf(t: TFunction, { actor = '', target = '' }: AuditSearch, entries: AuditEntry[]): Names {
  const byActor = entries.find((entry) => entry.actor.id === actor)
  const ofTarget = entries.find((entry) => `${entry.target.kind}:${entry.target.id}` === target)
  return { actor: byActor ? actorName(t, byActor) : actor, target: ofTarget ? targetName(ofTarget) : target }
}

type FilterProps = { search: AuditSearch; names: Names; onFilter: (change: AuditSearch) => void }

function Filters({ search, names, onFilter }: FilterProps) {
  const { t } = useTranslation()
  return (
    <FilterBar>
      <SearchField
        value={search.q ?? ''}
        placeholder={t('audit.search')}
        onChange={(q) => onFilter({ q: q || undefined })}
      />
      <FilterMenu
        label={t('audit.who')}
        value={search.who}
        options={actorKinds.map((value) => ({ value, label: t(`audit.who-${value}`) }))}
        onChange={(who) => onFilter({ who })}
      />
      <FilterMenu
        label={t('audit.action')}
        value={search.group}
        options={actionGroups.map((value) => ({ value, label: t(`audit.group-${value}`) }))}
        onChange={(group) => onFilter({ group })}
      />
      <FilterMenu
        label={t('audit.period')}
        value={search.days}
        options={periods.map((value) => ({ value, label: t(`audit.days-${value}`) }))}
        onChange={(days) => onFilter({ days })}
      />
      {search.actor && <FilterChip name={names.actor} onRemove={() => onFilter({ actor: undefined })} />}
      {search.target && <FilterChip name={names.target} onRemove={() => onFilter({ target: undefined })} />}
    </FilterBar>
  )
}
