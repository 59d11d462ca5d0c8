import { Button, CloseButton, Kbd, Menu, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconCheck, IconChevronDown, IconSearch, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLayout } from '../../hooks/use-layout.ts'
import { useShortcuts } from '../../shortcuts.ts'
import classes from './table.module.css'

/** The line above a table: search, then filters, then actions at the right. */
export function FilterBar({ children }: { children: ReactNode }) {
  return <div className={classes.bar}>{children}</div>
}

type FilterProps<Value extends string> = {
  label: string
  value: Value | undefined
  options: { value: Value; label: string }[]
  onChange: (value: Value | undefined) => void
  /** If the options are only those that the service found: searches others, and the name of the chosen one. */
  remote?: { onSearch: (text: string) => void; chosen: string | undefined } | undefined
}

/** The number of options from which a menu has a search field. */
const searchFrom = 12
const shownAtMost = 100

/** A menu with one choice. While a filter is set, it is tinted and has its own ×. */
export function FilterMenu<Value extends string>({ label, value, options, onChange, remote }: FilterProps<Value>) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const chosen = remote ? remote.chosen : options.find((option) => option.value === value)?.label
  const found = remote
    ? options
    : options.filter((option) => option.label.toLowerCase().includes(search.trim().toLowerCase()))
  const change = (text: string) => {
    setSearch(text)
    remote?.onSearch(text)
  }
  return (
    <FilterFrame label={label} chosen={chosen} onClear={() => onChange(undefined)} onClose={() => change('')}>
      {(remote || options.length >= searchFrom) && (
        <TextInput
          m={4}
          data-autofocus
          aria-label={t('table.search-options')}
          placeholder={t('table.search-options')}
          value={search}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
      {found.slice(0, shownAtMost).map((option) => (
        <Menu.Item
          key={option.value}
          onClick={() => onChange(option.value)}
          rightSection={option.value === value && <IconCheck size={16} aria-hidden />}
        >
          {option.label}
        </Menu.Item>
      ))}
    </FilterFrame>
  )
}

type ChoicesProps<Value extends string> = {
  label: string
  values: Value[]
  options: { value: Value; label: string }[]
  onChange: (values: Value[]) => void
}

/** A menu with several choices. It stays open, so that more than one can be ticked. */
export function FilterChoices<Value extends string>({ label, values, options, onChange }: ChoicesProps<Value>) {
  const chosen = options.filter(({ value }) => values.includes(value)).map((option) => option.label)
  return (
    <FilterFrame
      label={label}
      chosen={chosen.length > 0 ? chosen.join(', ') : undefined}
      onClear={() => onChange([])}
      closeOnItemClick={false}
    >
      {options.map(({ value, label: name }) => (
        <Menu.CheckboxItem
          key={value}
          checked={values.includes(value)}
          onChange={(isOn) => onChange(isOn ? [...values, value] : values.filter((one) => one !== value))}
          checkIcon={<IconCheck size={16} aria-hidden />}
        >
          {name}
        </Menu.CheckboxItem>
      ))}
    </FilterFrame>
  )
}

type FrameProps = {
  label: string
  chosen: string | undefined
  onClear: () => void
  onClose?: () => void
  closeOnItemClick?: boolean
  children: ReactNode
}

function FilterFrame({ label, chosen, onClear, onClose, closeOnItemClick = true, children }: FrameProps) {
  const { t } = useTranslation()
  const text = chosen ? `${label}: ${chosen}` : label
  return (
    <Button.Group>
      <Menu position="bottom-start" closeOnItemClick={closeOnItemClick} {...(onClose && { onClose })}>
        <Menu.Target>
          <Button
            variant="default"
            className={classes.filter ?? ''}
            data-set={chosen !== undefined || undefined}
            title={chosen && text}
            rightSection={chosen ? undefined : <IconChevronDown size={14} aria-hidden />}
          >
            <span className={classes.filterText}>{text}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
          {children}
        </Menu.Dropdown>
      </Menu>
      {chosen && (
        <Button
          variant="default"
          className={classes.filter ?? ''}
          data-set
          data-clear
          aria-label={t('table.clear-filter', { label })}
          onClick={onClear}
        >
          <CloseButton component="span" size={20} aria-hidden tabIndex={-1} />
        </Button>
      )}
    </Button.Group>
  )
}

/** A filter that was set by a link and that can only be removed. */
export function FilterChip({ name, onRemove }: { name: string; onRemove: () => void }) {
  const { t } = useTranslation()
  return (
    <Button
      variant="light"
      maw={280}
      rightSection={<IconX size={14} aria-hidden />}
      aria-label={t('table.remove-filter', { name })}
      onClick={onRemove}
    >
      {name}
    </Button>
  )
}

const widths = { phone: '1 1 100%', rail: '0 1 200px', full: '0 1 280px' }

type SearchProps = { value: string; onChange: (value: string) => void; placeholder: string }

/** A search that waits until the person pauses typing. `/` moves the focus into it. */
export function SearchField({ value, onChange, placeholder }: SearchProps) {
  const { t } = useTranslation()
  const layout = useLayout()
  const isPhone = layout === 'phone'
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const reported = useRef(value)
  const report = useDebouncedCallback((next: string) => {
    reported.current = next
    onChange(next)
  }, 300)
  // A value that the field has not reported comes from outside, for example from *Clear filters*. The field takes only such a
  // value: when its own comes back, the person may have typed more.
  useEffect(() => {
    if (value === reported.current) return
    reported.current = value
    report.cancel()
    setText(value)
  }, [value, report])
  useShortcuts([{ hotkey: '/', shown: ['/'], label: placeholder, run: () => field.current?.focus() }])
  const change = (next: string) => {
    setText(next)
    report(next)
  }
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={placeholder}
      placeholder={placeholder}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text !== '' ? (
          <CloseButton size="sm" aria-label={t('table.clear-search')} onClick={() => change('')} />
        ) : isPhone ? undefined : (
          <Kbd aria-hidden>/</Kbd>
        )
      }
      style={{ flex: widths[layout] }}
    />
  )
}
