import { Skeleton, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MailSettings } from '../../../../../client/voucher-api.generated.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { addTexts } from '../../../i18n/i18n.ts'
import { mailQuery, testMailServer } from '../../../queries/mail.ts'
import de from './de.json' with { type: 'json' }
import classes from './email.module.css'
import en from './en.json' with { type: 'json' }
import { MailServerPanel, useServerForm } from './mail-server-panel.tsx'
import { MailTest } from './mail-test.tsx'
import { SendersPanel } from './senders-panel.tsx'

addTexts({ de, en })

/** The mail server with its test, and in whose name each site sends. */
export function EmailTab() {
  const { data, error, refetch } = useQuery(mailQuery)
  if (data) return <Loaded settings={data} />
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  return (
    <Stack gap={20}>
      <div className={classes.page}>
        <Skeleton h={380} radius="lg" />
        <Skeleton h={380} radius="lg" />
      </div>
      <Skeleton h={200} radius="lg" />
    </Stack>
  )
}

function Loaded({ settings }: { settings: MailSettings }) {
  const [testedAt, setTestedAt] = useState<Date>()
  const test = useMutation({ ...testMailServer, onSettled: () => setTestedAt(new Date()) })
  const server = useServerForm(settings, () => test.mutate())
  const isFixed = settings.set_by.server !== null
  return (
    <Stack gap={20}>
      <div className={classes.page}>
        <MailServerPanel settings={settings} server={server} onTest={() => test.mutate()} isTesting={test.isPending} />
        <MailTest
          test={{ result: test.data, error: test.error, isRunning: test.isPending, at: testedAt }}
          security={settings.server?.security ?? 'starttls'}
          {...(settings.server && { onRun: () => test.mutate() })}
          {...(!isFixed && { onChange: server.change })}
        />
      </div>
      <SendersPanel settings={settings} />
    </Stack>
  )
}
