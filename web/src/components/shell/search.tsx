import { Kbd, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../new-version.tsx'
import { closeShellDialog, openSearch, useIsOpen } from '../../shortcuts.ts'
import classes from './app-shell.module.css'

const loadDialog = async () => (await import('./search-dialog.tsx')).SearchDialog
const SearchDialog = lazyPart(loadDialog)

/** The search for sites, vouchers and pages: a field in the navigation, an icon where there is no room, and Ctrl K everywhere. */
export function Search({ isSmall = false }: { isSmall?: boolean }) {
  const { t } = useTranslation()
  const isOpen = useIsOpen('search')
  const [wasOpen, setWasOpen] = useState(isOpen)
  if (isOpen && !wasOpen) setWasOpen(true)
  const [query, setQuery] = useState('')
  const earlyKeys = <EarlyKeys onText={(text) => setQuery((old) => old + text)} onEscape={closeShellDialog} />
  usePreload()
  return (
    <>
      <UnstyledButton className={classes.search} data-small={isSmall || undefined} onClick={openSearch}>
        <IconSearch size={isSmall ? 20 : 16} stroke={1.7} aria-hidden />
        {isSmall ? <VisuallyHidden>{t('search.label')}</VisuallyHidden> : <span>{t('search.label')}</span>}
        {!isSmall && <Kbd aria-hidden>{t('search.key')}</Kbd>}
      </UnstyledButton>
      {wasOpen && (
        <Suspense fallback={isOpen && earlyKeys}>
          <SearchDialog
            opened={isOpen}
            onClose={closeShellDialog}
            query={query}
            onQueryChange={setQuery}
            earlyKeys={earlyKeys}
          />
        </Suspense>
      )}
    </>
  )
}

/** Loads the dialog a second after the page. If its file is gone after an update, the notice of the new version appears. */
function usePreload(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadDialog().catch(() => undefined), 1_000)
    return () => clearTimeout(timer)
  }, [])
}

/** Collects what is typed while the field of the dialog cannot have the focus yet. */
function EarlyKeys({ onText, onEscape }: { onText: (text: string) => void; onEscape: () => void }) {
  useWindowEvent(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      event.stopPropagation()
      if (event.key === 'Escape') onEscape()
      else if (event.key.length === 1) onText(event.key)
    },
    true,
  )
  return null
}
