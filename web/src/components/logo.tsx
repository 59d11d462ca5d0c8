/** The mark of the service: a ticket with Wi-Fi waves. `web/public/favicon.svg` is the same drawing. */
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 40 40" aria-hidden="true" style={{ flexShrink: 0, display: 'block' }}>
      <rect width="40" height="40" rx="10" fill="#4350c6" />
      <path
        fill="#fff"
        d="M10.5 11h19a2 2 0 0 1 2 2v3.6a3.4 3.4 0 0 0 0 6.8V27a2 2 0 0 1-2 2h-19a2 2 0 0 1-2-2v-3.6a3.4 3.4 0 0 0 0-6.8V13a2 2 0 0 1 2-2z"
      />
      <g fill="none" stroke="#4350c6" strokeWidth="2" strokeLinecap="round">
        <path d="M14.2 18.4a8.2 8.2 0 0 1 11.6 0" />
        <path d="M17 21.4a4.3 4.3 0 0 1 6 0" />
      </g>
      <circle cx="20" cy="24.6" r="1.5" fill="#4350c6" />
    </svg>
  )
}
