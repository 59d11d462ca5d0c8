import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { addTexts } from '../../../i18n/i18n.ts'
import { guestDataQuery } from '../../../queries/guest-data.ts'
import de from './de.json' with { type: 'json' }
import { DeletePanel } from './delete-panel.tsx'
import en from './en.json' with { type: 'json' }
import { ErasuresPanel } from './erasures-panel.tsx'
import { ForgetPanel } from './forget-panel.tsx'
import classes from './guest-data.module.css'
import { OneGuestPanel } from './one-guest-panel.tsx'

addTexts({ de, en })

/** After how many days guests are forgotten, and everything that is stored about one guest. */
export function GuestDataTab() {
  const { data, error, refetch } = useQuery(guestDataQuery)
  return (
    <div className={classes.page}>
      <Stack gap={20}>
        {data ? (
          <>
            <ForgetPanel settings={data} />
            <DeletePanel settings={data} />
          </>
        ) : error ? (
          <ErrorMessage error={error} onRetry={() => void refetch()} />
        ) : (
          <>
            <Skeleton h={340} radius="lg" />
            <Skeleton h={92} radius="lg" />
          </>
        )}
      </Stack>
      <Stack gap={20}>
        <OneGuestPanel />
        <ErasuresPanel />
      </Stack>
    </div>
  )
}
