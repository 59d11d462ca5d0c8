import { Button, Paper, Text, TextInput, Title } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ErasureResult, FoundGuest } from '../../../../../client/voucher-api.generated.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { searchGuests } from '../../../queries/guests.ts'
import { ErasureReceipt } from './erasure-receipt.tsx'
import { FoundGuests } from './found-guests.tsx'
import classes from './guest-data.module.css'
import { StoredData } from './stored-data.tsx'

const shortestQuery = 2
const longestQuery = 200

/** Everything that is stored about one guest: search, export and erasure. Afterwards the receipt takes the place of the guest. */
export function OneGuestPanel() {
  const { t } = useTranslation()
  const [query, setQuery] = useState('')
  const [isTooShort, setIsTooShort] = useState(false)
  const [ticked, setTicked] = useState<FoundGuest[]>([])
  const [receipt, setReceipt] = useState<ErasureResult>()
  const field = useRef<HTMLInputElement>(null)
  const search = useMutation({
    ...searchGuests,
    onSuccess: ({ guests, has_more: hasMore }) => setTicked(guests.length === 1 && !hasMore ? guests : []),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const words = query.trim()
    setIsTooShort(words.length < shortestQuery)
    if (words.length < shortestQuery) return field.current?.focus()
    if (search.isPending) return
    setReceipt(undefined)
    search.mutate(words)
  }
  const showReceipt = (erasure: ErasureResult) => {
    setReceipt(erasure)
    setTicked([])
    search.reset()
    setQuery('') // it may be the name
  }
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.panel ?? ''}>
      <div className={classes.part}>
        <div>
          <Title order={2} fz={15} lh="22px">
            {t('guest-data.one-guest')}
          </Title>
          <Text fz={13.5} lh="20px" c="dimmed">
            {t('guest-data.one-guest-text')}
          </Text>
        </div>
        <form noValidate className={classes.search} onSubmit={submit}>
          <TextInput
            ref={field}
            className={classes.searchField ?? ''}
            aria-label={t('guest-data.name-or-reference')}
            placeholder={t('guest-data.name-or-reference')}
            leftSection={<IconSearch size={16} aria-hidden />}
            maxLength={longestQuery}
            autoComplete="off"
            value={query}
            error={isTooShort && t('guest-data.search-missing')}
            onChange={({ currentTarget }) => {
              setQuery(currentTarget.value)
              setIsTooShort(false)
            }}
          />
          <Button type="submit" variant="default" loading={search.isPending}>
            {t('guest-data.search')}
          </Button>
        </form>
        {search.error && <ErrorMessage error={search.error} />}
        {receipt && <ErasureReceipt erasure={receipt} />}
        {search.data && <FoundGuests found={search.data} ticked={ticked} onTick={setTicked} />}
      </div>
      {search.data && ticked.length > 0 && <StoredData guests={ticked} onErased={showReceipt} />}
    </Paper>
  )
}
