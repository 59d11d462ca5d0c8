import { Kbd, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useKeys } from '../../keys.ts'
import { lazyPart } from '../../new-version.tsx'
import classes from './app-shell.module.css'

const SearchDialog = lazyPart(async () => (await import('./search-dialog.tsx')).SearchDialog)

/** The search for sites, vouchers and pages: a field in the navigation, an icon where there is no room, and Ctrl K everywhere. */
export function Search({ isSmall = false }: { isSmall?: boolean }) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState<'never' | 'yes' | 'no'>('never')
  const open = () => setOpened('yes')
  useKeys([{ hotkey: 'mod+K', shown: [t('search.key')], label: t('search.label'), run: open, whileTyping: true }])
  return (
    <>
      <UnstyledButton className={classes.search} data-small={isSmall || undefined} onClick={open}>
        <IconSearch size={isSmall ? 20 : 16} stroke={1.7} aria-hidden />
        {isSmall ? <VisuallyHidden>{t('search.label')}</VisuallyHidden> : <span>{t('search.label')}</span>}
        {!isSmall && <Kbd aria-hidden>{t('search.key')}</Kbd>}
      </UnstyledButton>
      <Suspense>
        {opened !== 'never' && <SearchDialog opened={opened === 'yes'} onClose={() => setOpened('no')} />}
      </Suspense>
    </>
  )
}
