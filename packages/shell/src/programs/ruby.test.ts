import { describe, expect, it } from "vitest";
import { summary, widened } from "../../test/line-summary.ts";

describe("ruby", () => {
  it.each([
    ["ruby --version", "read-only"],
    ["ruby -c src/a.rb", "project"],
    ["ruby -wc src/a.rb", "project"],
    ["ruby -c", "read-only"],
    ["ruby -r ./evil -c src/a.rb", "execute project deviation"],
    ["ruby src/a.rb x", "project"],
    ["ruby -Ilib src/a.rb", "project deviation"],
    ["ruby -e 'code'", "execute deviation"],
    ["ruby -ne 'code' README.md", "execute deviation"],
    ["ruby -0777ne 'code' README.md", "execute project deviation"],
    ["ruby -We 'code'", "execute project deviation"],
    ["ruby -W0 src/a.rb", "project"],
    ["ruby -i -pe 'code' src/a.ts", "execute write deviation"],
    ["ruby -S evil", "execute project"],
    ["ruby", "execute unknown"],
    ["irb", "execute project unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });
});

describe("tools of Ruby", () => {
  it.each([
    ["bundle --version", "project"],
    ["bundle exec rspec", "project + project"],
    ["bundle exec --gemfile=/elsewhere/Gemfile rspec", "project deviation + project"],
    ["bundle exec evil", "project + unknown"],
    ["bundle install --jobs 4", "network project write"],
    ["bundle list", "project"],
    ["bundle config set path x", "execute project write unknown"],
    ["gem --version", "read-only"],
    ["gem list", "read-only"],
    ["gem list --remote", "unknown"],
    ["gem list -r", "unknown"],
    ["gem environment", "environment"],
    ["gem install evil", "execute network system write unknown"],
    ["rake test", "project"],
    ["rake -f /elsewhere/Rakefile", "project deviation"],
    ["rake -r ./evil test", "execute project deviation"],
    ["rake -e 'code'", "execute project deviation"],
    ["rake test TEST=x", "project deviation"],
    ["rails test", "project"],
    ["rails db:migrate", "project"],
    ["rails server -p 3000", "network project"],
    ["rails runner 'code'", "execute project write unknown"],
    ["rails console", "execute project write unknown"],
    ["rspec spec/a_spec.rb:3 --format documentation", "project"],
    ["rspec -fd", "project"],
    ["rspec -r ./evil", "execute project deviation"],
    ["rspec -f Evil", "execute project deviation"],
    ["rspec -O /elsewhere", "project deviation"],
    ["rspec -o out.txt", "project write"],
    ["rubocop", "project"],
    ["rubocop -a", "project write"],
    ["rubocop -A src", "project write"],
    ["rubocop -c other.yml", "project deviation"],
    ["rubocop -r ./evil", "execute project deviation"],
    ["rubocop --format Evil", "execute project deviation"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("offers the action", () => {
    expect(widened("rake db:seed test")).toBe("rake db:seed test");
    expect(widened("rspec spec -fd")).toBe("rspec");
    expect(widened("bundle exec rspec")).toBe("bundle exec rspec");
    expect(widened("ruby -c src/a.rb")).toBe("ruby -c");
  });
});
