import{b as e}from"./offers-BHzUzPJw.js";import{t}from"./scrolled-j3qOk7Rb.js";import{Xr as n}from"./getHighlightReason-BctIRj08.js";var r=n(),i=e=>e.replaceAll(`~`,`~
`).replaceAll(`

`,`
`);function a({messages:n,request:a,response:o}){return n.map((n,s)=>(0,r.jsxs)(`div`,{className:`exchange`,children:[(0,r.jsxs)(`div`,{children:[(0,r.jsx)(`h3`,{children:a}),(0,r.jsx)(t,{label:`${a}, message ${s+1}`,children:i(n.request)})]}),(0,r.jsxs)(`div`,{children:[(0,r.jsx)(`h3`,{children:o}),(0,r.jsx)(t,{label:`${o}, message ${s+1}`,children:n.response?i(n.response).split(`
`).map(e).join(`
`):`Nothing came back.`})]})]},s))}export{a as t};