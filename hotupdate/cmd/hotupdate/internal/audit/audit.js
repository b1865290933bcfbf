const tables = [...document.querySelectorAll('table.pools')];
const rows = tables.flatMap(table => [...table.tBodies[0].rows]);
if (rows.length) {
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
  const filter = document.querySelector('#filter');
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(word => word);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !words.every(word => texts.get(row).includes(word));
      shown += !row.hidden;
    }
    document.querySelector('#shown').textContent = `${shown} of ${rows.length} rows`;
  };
  filter.addEventListener('input', show);
  show();
  tables[0].previousElementSibling.before(filter.parentElement);
  filter.parentElement.hidden = false;
  const order = new Intl.Collator(undefined, {numeric: true});
  for (const table of tables) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      let direction = -1;
      head.style.cursor = 'pointer';
      head.addEventListener('click', () => {
        direction = -direction;
        const key = row => row.cells[column].textContent;
        body.append(...[...body.rows].sort((a, b) => direction * order.compare(key(a), key(b))));
      });
    });
  }
}
