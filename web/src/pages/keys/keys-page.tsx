import { Anchor, Button, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Key, KeyWithSecret } from '../../../../client/voucher-api.generated.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { FilterBar, SearchField } from '../../components/table/filters.tsx'
import { addTexts } from '../../i18n/i18n.ts'
import { keysQuery } from '../../queries/keys.ts'
import { useScope, useScopeZone } from '../../sites.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { CreateDialog, EditDialog, RevokeDialog, RollDialog } from './key-dialogs.tsx'
import { KeyDrawer } from './key-drawer.tsx'
import { KeySecret } from './key-secret.tsx'
import { type KeyAction, KeyTable } from './key-table.tsx'
import { visibleKeys } from './keys-data.ts'

addTexts({ de, en })

/** From this number of keys on, the page has a search. */
const searchFrom = 10

type Shown =
  | { kind: 'create' }
  | { kind: KeyAction; id: string }
  | { kind: 'secret'; isRolled: boolean; key: KeyWithSecret }

export function KeysPage() {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const { data: keys, error, refetch } = useQuery(keysQuery)
  const { site } = useScope()
  const { q = '', key: openId } = useSearch({ from: '/shell/keys' })
  const navigate = useNavigate()
  const [shown, setShown] = useState<Shown | null>(null)
  const close = () => setShown(null)
  const change = (search: { q?: string | undefined; key?: string | undefined }) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...search }), replace: true })
  const visible = keys && visibleKeys(keys, { siteId: site?.id, search: q })
  const open = keys?.find(({ id }) => id === openId)

  return (
    <>
      <PageTitle title={t('keys-page.title')} timeZone={timeZone}>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setShown({ kind: 'create' })}>
          {t('keys-page.new')}
        </Button>
      </PageTitle>
      {keys && (keys.length >= searchFrom || q !== '') && (
        <FilterBar>
          <SearchField
            value={q}
            onChange={(text) => change({ q: text || undefined })}
            placeholder={t('keys-page.search')}
          />
        </FilterBar>
      )}
      {error && !keys ? (
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      ) : (
        <KeyTable
          keys={visible}
          empty={<NoKeys isFiltered={keys !== undefined && keys.length > 0} onClear={() => change({ q: undefined })} />}
          openId={openId}
          onOpen={({ id }) => change({ key: id })}
          onAction={(kind, { id }) => setShown({ kind, id })}
        />
      )}
      <Text mt="sm" fz={13.5} c="dimmed">
        {site && `${t('keys-page.of-site', { name: site.name })} `}
        {t('keys-page.shown-once')} <Anchor href="/reference">{t('keys-page.how-to-call')}</Anchor>
      </Text>
      {open && (
        <KeyDrawer
          apiKey={open}
          onClose={() => change({ key: undefined })}
          onAction={(kind) => setShown({ kind, id: open.id })}
        />
      )}
      <ShownDialog shown={shown} keys={keys ?? []} onShow={setShown} onClose={close} />
    </>
  )
}

function NoKeys({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { t } = useTranslation()
  if (!isFiltered) return <EmptyState title={t('keys-page.empty')} text={t('keys-page.empty-text')} />
  return (
    <EmptyState title={t('keys-page.no-match')} text={t('keys-page.no-match-text')}>
      <Button variant="default" onClick={onClear}>
        {t('keys-page.clear')}
      </Button>
    </EmptyState>
  )
}

type ShownProps = { shown: Shown | null; keys: Key[]; onShow: (shown: Shown) => void; onClose: () => void }

/** The dialog that is open, if any. A key that is reloaded meanwhile shows its new state. */
function ShownDialog({ shown, keys, onShow, onClose }: ShownProps) {
  if (shown === null) return null
  if (shown.kind === 'create')
    return <CreateDialog onClose={onClose} onCreated={(key) => onShow({ kind: 'secret', isRolled: false, key })} />
  if (shown.kind === 'secret') return <KeySecret created={shown.key} isRolled={shown.isRolled} onDone={onClose} />
  const apiKey = keys.find(({ id }) => id === shown.id)
  if (!apiKey) return null
  if (shown.kind === 'edit') return <EditDialog apiKey={apiKey} onClose={onClose} />
  if (shown.kind === 'revoke') return <RevokeDialog apiKey={apiKey} onClose={onClose} />
  return (
    <RollDialog apiKey={apiKey} onClose={onClose} onRolled={(key) => onShow({ kind: 'secret', isRolled: true, key })} />
  )
}
