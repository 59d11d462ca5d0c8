import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { closeKeys, openKeys, useIsKeysOpen, useKeyList, useKeys } from '../../keys.ts'

/** `?` lists the keys that work on this page. */
export function KeysDialog() {
  const { t } = useTranslation()
  useKeys([{ hotkey: 'shift+?', shown: ['?'], label: t('keys.this-list'), run: openKeys }])
  const isOpen = useIsKeysOpen()
  const list = useKeyList()
  return (
    <Modal
      opened={isOpen}
      onClose={closeKeys}
      title={t('keys.title')}
      closeButtonProps={{ 'aria-label': t('actions.close') }}
    >
      <Stack gap="xs">
        {list.map(({ shown, label }) => (
          <Group key={shown.join()} justify="space-between" wrap="nowrap">
            <Text>{label}</Text>
            <Group gap={4} wrap="nowrap">
              {shown.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
        <Text fz="sm" c="dimmed">
          {t('keys.while-typing')}
        </Text>
      </Stack>
    </Modal>
  )
}
