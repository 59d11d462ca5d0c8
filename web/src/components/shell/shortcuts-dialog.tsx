import { Group, Kbd, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { closeShellDialog, useIsOpen, useShortcutList } from '../../shortcuts.ts'
import { Dialog } from '../dialog.tsx'

/** `?` lists the keys that work on this page. */
export function ShortcutsDialog() {
  const { t } = useTranslation()
  const isOpen = useIsOpen('shortcuts')
  const list = useShortcutList()
  return (
    <Dialog opened={isOpen} onClose={closeShellDialog} title={t('shortcuts.title')} size={440}>
      <Stack gap="xs">
        {list.map(({ shown, label }) => (
          <Group key={shown.join()} justify="space-between" wrap="nowrap">
            <Text>{label}</Text>
            <Group gap={4} wrap="nowrap">
              {shown.map((key) => (key === '–' ? key : <Kbd key={key}>{key}</Kbd>))}
            </Group>
          </Group>
        ))}
        <Text fz="sm" c="dimmed">
          {t('shortcuts.while-typing')}
        </Text>
      </Stack>
    </Dialog>
  )
}
