import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import { secondsSinceUse } from '../../last-use.ts'
import { leave, signOut } from '../../sign-out.ts'
import { Dialog } from '../dialog.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

const warningSeconds = 30
/** The sign-in page, which says why the person is there. */
const signInPath = '/sign-in?problem=signed_out_idle'

/**
 * Signs out in a browser that people share, after some minutes without key, click or touch. A dialog appears shortly before: any use
 * of the page closes it.
 */
export function IdleSignOut({ minutes }: { minutes: number }) {
  const { t } = useTranslation()
  const [secondsLeft, setSecondsLeft] = useState(minutes * 60)
  const isOver = secondsLeft <= 0
  useEffect(() => {
    const look = () => setSecondsLeft(minutes * 60 - secondsSinceUse())
    const timer = setInterval(look, 500)
    return () => clearInterval(timer)
  }, [minutes])
  useEffect(() => {
    if (isOver) signOut(signInPath).catch(() => leave(signInPath)) // without an answer, the page must not stay either
  }, [isOver])
  return (
    <Dialog opened={secondsLeft <= warningSeconds} onClose={() => {}} title={t('idle.title')} size={400} isCovering>
      <Stack gap="md">
        <Text>{t('idle.text', { count: Math.max(0, secondsLeft) })}</Text>
        <Group justify="flex-end" className="dialog-actions">
          <Button data-autofocus>{t('idle.stay')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
