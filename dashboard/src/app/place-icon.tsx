/** The lines of the icons of the navigation, by the path of the screen; all in one chunk, which costs no request. */
const LINES: Readonly<Record<string, string>> = {
  '/': 'M2.5 7.5 8 3l5.5 4.5V13h-4V9.5h-3V13h-4z',
  '/my-day': 'M3 4.5h10v9H3zM3 7.2h10M5.5 2.5v3M10.5 2.5v3M6 10.3l1.4 1.4L10 9.3',
  '/search': 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2l3.5 3.5',
  '/policies': 'M8 2.3 13 4v4c0 3-2 4.8-5 5.8C5 12.8 3 11 3 8V4z',
  '/endorsements': 'M3.5 2.5h6l3 3v8h-9zM9.5 2.5v3h3M5.8 9.4l1.5 1.5 2.9-3.2',
  '/consultations': 'M2.5 3.5h11v7.2H7l-3 2.6v-2.6H2.5z',
  '/wallets': 'M2.5 5h11v8h-11zM2.5 5l8-2.3V5M10 9h3.5',
  '/accounts': 'M2.5 6.5 8 3l5.5 3.5zM4 6.5V13M8 6.5V13M12 6.5V13M2.5 13h11',
  '/imports': 'M8 2.5v7.3M5 7l3 3 3-3M2.5 10v3.5h11V10',
  '/events': 'M1.8 8.5h3l1.5-4.5 3.2 8 1.7-3.5h3',
  '/audit': 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5',
  '/states': 'M2.5 3h4v3.5h-4zM9.5 9.5h4V13h-4zM4.5 6.5v4.8h5',
  '/sandbox': 'M6 2.5h4M7 2.5v4L3.5 13.3h9L9 6.5v-4M5.3 10h5.4',
  '/sponsors': 'M2.5 5.5h11V13h-11zM6 5.5V3h4v2.5M2.5 9h11',
  '/benefits': 'M8 13 3.2 8.2a2.9 2.9 0 0 1 4.1-4.1l.7.7.7-.7a2.9 2.9 0 0 1 4.1 4.1z',
  '/platforms': 'M8 2.5 14 5.5 8 8.5 2 5.5zM2.5 8.5 8 11.3l5.5-2.8M2.5 11.2 8 14l5.5-2.8',
  '/benefit_providers': 'M2.5 8.5a5.5 5.5 0 0 1 11 0zM8 8.5v4a1.3 1.3 0 0 1-2.6 0M8 1.8V3',
  '/account_providers': 'M2.5 4h11v8.5h-11zM2.5 7h11M5 10h2.5',
  '/credentials': 'M2.5 8a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0M7.5 8h6v2.5M11 8v2',
  '/webhooks': 'M6.5 3.5h-4v10h10v-4M9 2.5h4.5V7M13.5 2.5l-6 6',
  '/administrators': 'M8 2.8a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8zM3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4',
}

/** What a screen of the navigation is, at a glance; its name stands alongside. */
export const PlaceIcon = ({ path }: { path: string }) => (
  <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" className="place-icon">
    <path d={LINES[path]} />
  </svg>
)
