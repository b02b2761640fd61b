import{g as e}from"./composite-DecOVMK5.js";import{t}from"./scrolled-DbpIVxL0.js";import{Hr as n}from"./getHighlightReason-Xh9enmuM.js";var r=n(),i=e=>e.replaceAll(`~`,`~
`).replaceAll(`

`,`
`);function a({messages:n,request:a,response:o}){return n.map((n,s)=>(0,r.jsxs)(`div`,{className:`exchange`,children:[(0,r.jsxs)(`div`,{children:[(0,r.jsx)(`h3`,{children:a}),(0,r.jsx)(t,{label:`${a}, message ${s+1}`,children:i(n.request)})]}),(0,r.jsxs)(`div`,{children:[(0,r.jsx)(`h3`,{children:o}),(0,r.jsx)(t,{label:`${o}, message ${s+1}`,children:n.response?i(n.response).split(`
`).map(e).join(`
`):`Nothing came back.`})]})]},s))}export{a as t};